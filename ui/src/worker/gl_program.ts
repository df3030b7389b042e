// SPDX-License-Identifier: Apache-2.0
//
// Shaders and small helpers of the WebGL back end.
export type Gl = WebGL2RenderingContext;

/** Records in a row of a texture. */
export const TEXTURE_WIDTH = 1024;
export const SLOTS = 256;

/**
 * A quad of four vertices per record; the record is pulled from the texture of
 * the tile. Edges are at whole device pixels, as the rasteriser has them.
 */
export const BOX_VERTEX = `#version 300 es
precision highp float;
precision highp int;
precision highp usampler2D;
precision highp sampler2D;
uniform usampler2D u_records;
uniform usampler2D u_names;
uniform sampler2D u_slots;
uniform sampler2D u_paints;
uniform int u_first;
uniform float u_shift;
uniform float u_scale;
uniform vec2 u_size;
uniform uint u_highlight;
uniform bool u_dims;
flat out vec3 v_solid;
flat out vec3 v_tint;
flat out float v_bar;
flat out int v_mixed;
out float v_height;

int shadeOf(uint name) {
  return int(((name + 1u) * 0x9e3779b1u >> 8u) % 3u);
}

void main() {
  int n = u_first + gl_VertexID / 4;
  int corner = gl_VertexID & 3;
  uvec4 r = texelFetch(u_records, ivec2(n % ${TEXTURE_WIDTH},
                                        n / ${TEXTURE_WIDTH}), 0);
  float x = float(r.x & 0xffffu);
  float w = float(r.x >> 16u);
  uint local = r.z & 0xffffu;
  float depth = float((r.z >> 16u) & 0xffu);
  uint kind = r.z >> 24u;
  float fill = float((r.w >> 16u) & 0xffu);
  vec4 slot = texelFetch(u_slots, ivec2(int(r.w >> 24u), 0), 0);
  uint name = local == 65535u ? 0xffffffffu :
    texelFetch(u_names, ivec2(int(local) % ${TEXTURE_WIDTH},
                              int(local) / ${TEXTURE_WIDTH}), 0).x;
  float x0 = floor(u_shift + x * u_scale + 0.5);
  float x1 = floor(u_shift + (x + w) * u_scale + 0.5);
  if (x1 - x0 > 2.0 && (kind & 64u) == 0u) x1 -= 1.0;
  x1 = max(x1, x0 + 1.0);
  float y0 = floor(slot.x + depth * slot.y + 0.5);
  float high = floor(slot.z + 0.5);
  if (depth >= slot.w) high = 0.0;
  int at = int(kind & 31u) * 3 + shadeOf(name);
  v_mixed = (kind & 128u) != 0u && fill < 255.0 ? 1 : 0;
  vec3 box = texelFetch(u_paints, ivec2(at, 0), 0).rgb;
  vec3 tint = texelFetch(u_paints, ivec2(at, 1), 0).rgb;
  bool dim = u_dims && name != u_highlight;
  v_tint = tint;
  v_solid = dim ? tint : box;
  if (dim) v_mixed = 0;
  v_bar = fill >= 255.0 ? high : max(1.0, floor(fill / 254.0 * high + 0.5));
  v_height = corner < 2 ? high : 0.0;
  vec2 pixel = vec2((corner & 1) == 0 ? x0 : x1, corner < 2 ? y0 : y0 + high);
  gl_Position = vec4(pixel / u_size * vec2(2.0, -2.0) + vec2(-1.0, 1.0),
                     0.0, 1.0);
}`;

export const BOX_FRAGMENT = `#version 300 es
precision highp float;
uniform sampler2D u_paints;
flat in vec3 v_solid;
flat in vec3 v_tint;
flat in float v_bar;
flat in int v_mixed;
in float v_height;
out vec4 colour;
void main() {
  vec3 solid = v_solid;
  if (v_mixed == 1 && (int(gl_FragCoord.x) & 3) == 0)
    solid = texelFetch(u_paints, ivec2(96, 0), 0).rgb;
  colour = vec4(v_height <= v_bar ? solid : v_tint, 1.0);
}`;

/** One quad per label; text that is cut fades over the last ten pixels. */
export const TEXT_VERTEX = `#version 300 es
precision highp float;
layout(location = 0) in vec2 a_pixel;
layout(location = 1) in vec2 a_texel;
layout(location = 2) in float a_right;
uniform vec2 u_size;
out vec2 v_texel;
out float v_left;
void main() {
  v_texel = a_texel;
  v_left = a_right - a_pixel.x;
  gl_Position = vec4(a_pixel / u_size * vec2(2.0, -2.0) + vec2(-1.0, 1.0),
                     0.0, 1.0);
}`;
export const TEXT_FRAGMENT = `#version 300 es
precision highp float;
uniform sampler2D u_atlas;
uniform vec3 u_colour;
uniform float u_fade;
in vec2 v_texel;
in float v_left;
out vec4 colour;
void main() {
  float ink = texelFetch(u_atlas, ivec2(v_texel), 0).r;
  colour = vec4(u_colour, ink * clamp(v_left / u_fade, 0.0, 1.0));
}`;

export function makeProgram(gl: Gl, vertex: string, fragment: string)
  : WebGLProgram {
  const program = gl.createProgram();
  for (const [type, source] of [[gl.VERTEX_SHADER, vertex],
    [gl.FRAGMENT_SHADER, fragment]] as const) {
    const shader = gl.createShader(type)!;
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost())
    throw new Error(gl.getProgramInfoLog(program) ?? "the shader is refused");
  return program;
}

/** A texture that is read texel by texel. */
export function makeTexture(gl: Gl): WebGLTexture {
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  for (const which of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER])
    gl.texParameteri(gl.TEXTURE_2D, which, gl.NEAREST);
  for (const which of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T])
    gl.texParameteri(gl.TEXTURE_2D, which, gl.CLAMP_TO_EDGE);
  return texture;
}

/** Values in rows of TEXTURE_WIDTH, the last one filled up. */
export function padded(values: Uint32Array, perTexel: number)
  : { rows: number; data: Uint32Array } {
  const row = TEXTURE_WIDTH * perTexel;
  const rows = Math.max(1, Math.ceil(values.length / row));
  if (values.length === rows * row) return { rows, data: values };
  const data = new Uint32Array(rows * row);
  data.set(values);
  return { rows, data };
}

const SOFTWARE = /SwiftShader|llvmpipe|Software|Basic Render/i;
export function isSoftware(gl: Gl): boolean {
  const info = gl.getExtension("WEBGL_debug_renderer_info");
  const name = gl.getParameter(
    info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER);
  return SOFTWARE.test(String(name));
}
