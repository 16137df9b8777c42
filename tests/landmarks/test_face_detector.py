"""Before and after the detector network: pure functions."""

import numpy as np

from models.landmarks.face_detector import INPUT_SIDE, detector_input, make_anchors, read_hits


def _outputs(hits):
    """Regressors and logits as if the network had answered with (anchor, score, box, eyes) in parts of the square."""
    anchors = make_anchors()
    regressors, logits = np.zeros((896, 16), np.float32), np.full(896, -20, np.float32)
    for anchor, score, box, eyes in hits:
        box, eyes = np.array(box), np.array(eyes)
        logits[anchor] = np.log(score / (1 - score))
        regressors[anchor, :2] = ((box[:2] + box[2:]) / 2 - anchors[anchor]) * INPUT_SIDE
        regressors[anchor, 2:4] = (box[2:] - box[:2]) * INPUT_SIDE
        regressors[anchor, 4:8] = ((eyes - anchors[anchor]) * INPUT_SIDE).ravel()
    return regressors, logits, anchors


def test_anchors_cover_the_square_in_two_grids():
    anchors = make_anchors()
    assert anchors.shape == (896, 2)
    np.testing.assert_allclose(anchors[0], [0.5 / 16, 0.5 / 16])
    np.testing.assert_allclose(anchors[2], [1.5 / 16, 0.5 / 16])  # x runs first, two anchors a cell
    np.testing.assert_allclose(anchors[512], [0.5 / 8, 0.5 / 8])
    np.testing.assert_allclose(anchors[-1], [7.5 / 8, 7.5 / 8])


def test_hits_come_back_in_picture_coordinates_of_a_wide_picture():
    blob, side, padding = detector_input(np.full((200, 400, 3), 255, np.uint8))
    assert blob.shape == (1, 3, 128, 128)
    assert side == 400
    np.testing.assert_allclose(padding, [0, 100])
    assert blob[0, :, 64].min() == 1
    assert blob[0, :, 0].max() == -1  # padded above
    regressors, logits, anchors = _outputs([(300, 0.9, (0.5, 0.5, 0.6, 0.6), ((0.52, 0.53), (0.58, 0.53)))])
    (hit,) = read_hits(regressors, logits, anchors, side, padding, 0.4)
    np.testing.assert_allclose(hit.box, [200, 100, 240, 140], atol=0.1)
    np.testing.assert_allclose(hit.eyes, [[208, 112], [232, 112]], atol=0.1)
    assert abs(hit.score - 0.9) < 1e-3


def test_overlapping_hits_are_averaged_by_score_and_others_kept():
    eyes = ((0.2, 0.2), (0.3, 0.2))
    regressors, logits, anchors = _outputs(
        [
            (100, 0.9, (0.10, 0.1, 0.40, 0.4), eyes),
            (102, 0.6, (0.16, 0.1, 0.46, 0.4), eyes),
            (700, 0.7, (0.70, 0.7, 0.90, 0.9), eyes),
            (5, 0.3, (0.0, 0.0, 0.1, 0.1), eyes),
        ]
    )
    hits = read_hits(regressors, logits, anchors, 100.0, np.zeros(2, np.float32), 0.4)
    assert [round(h.score, 1) for h in hits] == [0.9, 0.7]
    np.testing.assert_allclose(hits[0].box[0], (0.9 * 10 + 0.6 * 16) / 1.5, atol=0.01)


def test_no_hit_gives_no_face():
    assert read_hits(*_outputs([]), 100.0, np.zeros(2, np.float32), 0.4) == []
