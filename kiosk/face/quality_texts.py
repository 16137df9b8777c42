"""What the portrait checks are called, and what to do when one fails: Chinese and English."""

from __future__ import annotations

from typing import Final

from models.types import Language

TITLES: Final[dict[str, dict[Language, str]]] = {
    "picture-size": {"zh": "图片尺寸（像素）", "en": "picture size (pixels)"},
    "faces": {"zh": "人脸数量", "en": "number of faces"},
    "pupils": {"zh": "瞳距（像素）", "en": "distance of the pupils (pixels)"},
    "yaw": {"zh": "左右转头（度）", "en": "turned sideways (degrees)"},
    "pitch": {"zh": "抬头或低头（度）", "en": "turned up or down (degrees)"},
    "roll": {"zh": "歪头（度）", "en": "tilt (degrees)"},
    "mouth-free": {"zh": "嘴部无遮挡", "en": "mouth uncovered"},
    "lip-colour": {"zh": "唇色", "en": "colour of the lips"},
    "mask-colour": {"zh": "下半脸颜色", "en": "colour of the lower face"},
    "eyes-free": {"zh": "眼部无遮挡", "en": "eyes uncovered"},
    "even-light": {"zh": "光线均匀", "en": "even light"},
    "too-dark": {"zh": "亮度", "en": "brightness"},
    "too-bright": {"zh": "过曝比例", "en": "overexposed share"},
    "sharpness": {"zh": "清晰度", "en": "sharpness"},
    "eyes-open": {"zh": "睁眼", "en": "eyes open"},
    "mouth-closed": {"zh": "闭嘴", "en": "mouth closed"},
    "jaw-closed": {"zh": "下颌闭合", "en": "jaw closed"},
}

_UNCOVER_MOUTH: Final[dict[Language, str]] = {
    "zh": "请摘下口罩，手和话筒不要挡住嘴",
    "en": "take off the mask and keep hands and microphones away from the mouth",
}
_CLOSE_MOUTH: Final[dict[Language, str]] = {
    "zh": "请用自然闭嘴的照片，说话效果更好",
    "en": "a photo with the mouth closed talks better",
}

ADVICE: Final[dict[str, dict[Language, str]]] = {
    "picture-size": {
        "zh": "图片太小：请用边长至少 512 像素的照片",
        "en": "the picture is too small: use a photo of at least 512 pixels a side",
    },
    "faces": {"zh": "请用只有一张清楚正脸的照片", "en": "use a photo that shows one clear face from the front"},
    "pupils": {
        "zh": "人脸太小：请靠近拍摄或用更大的照片",
        "en": "the face is too small: go nearer or use a larger photo",
    },
    "yaw": {"zh": "请把脸转向镜头", "en": "turn the face to the camera"},
    "pitch": {"zh": "请把镜头放到与眼睛同高", "en": "hold the camera at the height of the eyes"},
    "roll": {"zh": "请把头摆正（小角度会自动转正）", "en": "hold the head upright (small tilts are turned back)"},
    "mouth-free": _UNCOVER_MOUTH,
    "lip-colour": _UNCOVER_MOUTH,
    "mask-colour": _UNCOVER_MOUTH,
    "eyes-free": {"zh": "请摘下墨镜，头发不要遮住眼睛", "en": "take off sunglasses and keep hair out of the eyes"},
    "even-light": {"zh": "请让光线从正面均匀照来", "en": "let the light come evenly from the front"},
    "too-dark": {"zh": "照片太暗：请到更亮的地方拍摄", "en": "the photo is too dark: take it in brighter light"},
    "too-bright": {"zh": "照片过曝：请避开强光直射", "en": "the photo is overexposed: avoid glaring light"},
    "sharpness": {"zh": "照片模糊：请对焦并拿稳相机", "en": "the photo is blurred: focus and hold the camera still"},
    "eyes-open": {"zh": "请用睁眼的照片", "en": "use a photo with open eyes"},
    "mouth-closed": _CLOSE_MOUTH,
    "jaw-closed": _CLOSE_MOUTH,
}
