// A material of Bevy: rings of a colour. shaders/rings.lv says the same exactly.
#import bevy_sprite::mesh2d_vertex_output::VertexOutput
#import bevy_sprite::mesh2d_view_bindings::view

@group(#{MATERIAL_BIND_GROUP}) @binding(0) var<uniform> tint: vec4<f32>;
@group(#{MATERIAL_BIND_GROUP}) @binding(1) var<uniform> time: f32;
@group(#{MATERIAL_BIND_GROUP}) @binding(2) var<uniform> width: f32;

@fragment
fn fragment(mesh: VertexOutput) -> @location(0) vec4<f32> {
    let resolution = view.viewport.zw;
    let p = (mesh.position.xy - 0.5 * resolution) / resolution.y;
    let phase = (length(p) + 0.1 * time) / width;
    return vec4(tint.rgb * abs(2.0 * fract(phase) - 1.0), 1.0);
}
