"""Which of the 478 landmarks are what: contours of face, lips, lids and eyes. Left and right are the person's own.

The numbers are those of MediaPipe's face mesh. Rows that belong together run in the same direction.
"""

from __future__ import annotations

RIGHT_PUPIL, LEFT_PUPIL = 468, 473
NOSE_TIP, CHIN = 1, 152
UPPER_LIP_MIDDLE, LOWER_LIP_MIDDLE = 13, 14
MOUTH_CORNERS = (78, 308)  # of the inner lips, right and left

# fmt: off
OVAL = (
    10, 338, 297, 332, 284, 251, 389, 356, 454, 323, 361, 288, 397, 365, 379, 378, 400, 377, 152, 148, 176, 149, 150,
    136, 172, 58, 132, 93, 234, 127, 162, 21, 54, 103, 67, 109,
)
UPPER_INNER_LIP = (78, 191, 80, 81, 82, 13, 312, 311, 310, 415, 308)
LOWER_INNER_LIP = (78, 95, 88, 178, 87, 14, 317, 402, 318, 324, 308)
UPPER_OUTER_LIP = (61, 185, 40, 39, 37, 0, 267, 269, 270, 409, 291)
LOWER_OUTER_LIP = (61, 146, 91, 181, 84, 17, 314, 405, 321, 375, 291)
INNER_LIP_LOOP = UPPER_INNER_LIP + LOWER_INNER_LIP[-2:0:-1]

# Left eye, right eye; each row from the outer to the inner corner, both corners left out.
UPPER_LIDS = ((466, 388, 387, 386, 385, 384, 398), (246, 161, 160, 159, 158, 157, 173))
LOWER_LIDS = ((249, 390, 373, 374, 380, 381, 382), (7, 163, 144, 145, 153, 154, 155))
LID_CREASES = ((467, 260, 259, 257, 258, 286, 414), (247, 30, 29, 27, 28, 56, 190))
ABOVE_CREASES = ((342, 445, 444, 443, 442, 441, 413), (113, 225, 224, 223, 222, 221, 189))
EYE_CORNERS = ((263, 362), (33, 133))  # outer, inner
PUPILS = (LEFT_PUPIL, RIGHT_PUPIL)
# fmt: on
EYE_LOOPS = tuple(
    (outer, *upper, inner, *lower[::-1])
    for (outer, inner), upper, lower in zip(EYE_CORNERS, UPPER_LIDS, LOWER_LIDS, strict=True)
)
"""The 16 points round each eye's opening."""
