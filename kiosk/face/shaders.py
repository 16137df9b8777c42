"""OpenGL 3.3 programs of the face. Small on purpose: a kiosk without a GPU runs them on the processor."""

STILL_VERTEX = """#version 330
uniform vec2 corner;  // margin in texels of the still
uniform vec2 span;    // viewport in pixels
uniform float up;     // 1: first row of the picture on top of the framebuffer, -1: at its bottom
out vec2 texel;
void main() {
  vec2 p = vec2(gl_VertexID == 1 ? 2.0 : 0.0, gl_VertexID == 2 ? 2.0 : 0.0);  // one triangle covers the screen
  texel = corner + p * span;
  gl_Position = vec4(p.x * 2.0 - 1.0, up * (1.0 - p.y * 2.0), 0.0, 1.0);
}"""

STILL_FRAGMENT = """#version 330
uniform sampler2D still;
in vec2 texel;
out vec4 colour;
void main() { colour = texelFetch(still, ivec2(texel), 0); }"""

FACE_VERTEX = """#version 330
uniform vec3 frame;   // portrait pixels to screen pixels: scale, offset
uniform vec2 span;
uniform vec4 texels;  // screen pixels to coordinates of the still: scale, offset
uniform float up;
in vec2 place;
in vec2 rest;
out vec2 uv;
void main() {
  uv = (rest * frame.x + frame.yz) * texels.xy + texels.zw;
  vec2 p = (place * frame.x + frame.yz) / span;
  gl_Position = vec4(p.x * 2.0 - 1.0, up * (1.0 - p.y * 2.0), 0.0, 1.0);
}"""

FACE_FRAGMENT = """#version 330
uniform sampler2D still;
in vec2 uv;
out vec4 colour;
void main() { colour = texture(still, uv); }"""

MOUTH_VERTEX = """#version 330
uniform vec3 frame;
uniform vec2 span;
uniform float up;
uniform vec3 upper_row[2];
uniform vec3 lower_row[2];
in vec2 place;
in vec2 depth_cover;
out vec2 at_upper;
out vec2 at_lower;
out float depth;
out float cover;
void main() {
  vec3 q = vec3(place, 1.0);
  at_upper = vec2(dot(upper_row[0], q), dot(upper_row[1], q));
  at_lower = vec2(dot(lower_row[0], q), dot(lower_row[1], q));
  depth = depth_cover.x;
  cover = depth_cover.y;
  vec2 p = (place * frame.x + frame.yz) / span;
  gl_Position = vec4(p.x * 2.0 - 1.0, up * (1.0 - p.y * 2.0), 0.0, 1.0);
}"""

MOUTH_FRAGMENT = """#version 330
uniform sampler2D upper;
uniform sampler2D lower;
uniform vec4 floor_colour;  // RGB at the rim; alpha: how dark the middle is
uniform vec3 teeth;         // brightness of the upper and the lower row, how much is seen
in vec2 at_upper;
in vec2 at_lower;
in float depth;
in float cover;
out vec4 colour;
float inside(vec2 at) {  // a sprite ends at its edge; smaller mipmaps would smear it outwards
  vec2 far = abs(at - 0.5);
  return step(max(far.x, far.y), 0.5);
}
void main() {
  vec3 c = floor_colour.rgb * (1.0 - floor_colour.a * depth);
  vec4 low = texture(lower, at_lower);
  vec4 high = texture(upper, at_upper);
  float shade = 0.68 + 0.32 * smoothstep(0.0, 0.40, depth);  // lips and corners throw shade on the teeth
  c = mix(c, low.rgb * teeth.y * shade, low.a * teeth.z * inside(at_lower));
  c = mix(c, high.rgb * teeth.x * shade, high.a * teeth.z * inside(at_upper));
  colour = vec4(c, cover);
}"""
