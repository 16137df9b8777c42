"""Networks and their wrappers, one package per kind. Nothing here knows Qt, turns or threads.

Importing this package first is what keeps the libraries below it from calling home: ONNX Runtime from 1.29 on sends
usage events unless told otherwise before it is loaded, Hugging Face's libraries look for newer files.
"""

import os

os.environ.update(
    ORT_DISABLE_TELEMETRY="1",
    HF_HUB_OFFLINE="1",
    TRANSFORMERS_OFFLINE="1",
    HF_HUB_DISABLE_TELEMETRY="1",
)
