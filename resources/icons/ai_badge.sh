#!/bin/sh
# Makes ai_badge.png: the visible AI mark of exported films. Needs ImageMagick and Noto Sans CJK (SIL OFL 1.1).
# The Chinese letters are 100 of the badge's 216 pixels high; kiosk/face/badge.py relies on that.
font="${1:-/usr/share/fonts/opentype/noto/NotoSansCJK-Bold.ttc}"
convert -size 420x216 xc:none \
  -fill 'rgba(16,22,30,0.62)' -draw 'roundrectangle 0,0 419,215 36,36' \
  -font "$font" -fill white -gravity north \
  -pointsize 108 -annotate +0-12 'AI 生成' \
  -pointsize 54 -annotate +0+122 'AI-generated' \
  -strip PNG32:"$(dirname "$0")/ai_badge.png"
