//! Shadertoy: uniforms of the host, and `main`.

use super::text::{Frame, TextWords};

/// What Shadertoy declares, and Ghostty, a terminal that takes such texts.
const SHADERTOY: [(&str, &str); 24] = [
    ("iResolution", "uniform vec3 iResolution;"),
    ("iTime", "uniform float iTime;"),
    ("iGlobalTime", "#define iGlobalTime iTime"),
    ("iTimeDelta", "uniform float iTimeDelta = 0.0166666675;"),
    ("iFrameRate", "uniform float iFrameRate = 60.0;"),
    ("iFrame", "uniform int iFrame;"),
    ("iMouse", "uniform vec4 iMouse;"),
    ("iDate", "uniform vec4 iDate;"),
    ("iSampleRate", "uniform float iSampleRate = 44100.0;"),
    ("iChannelTime", "uniform float iChannelTime[4];"),
    ("iBlockOffset", "uniform float iBlockOffset;"),
    ("iCurrentCursor", "uniform vec4 iCurrentCursor;"),
    ("iPreviousCursor", "uniform vec4 iPreviousCursor;"),
    ("iCurrentCursorColor", "uniform vec4 iCurrentCursorColor;"),
    ("iPreviousCursorColor", "uniform vec4 iPreviousCursorColor;"),
    ("iCurrentCursorStyle", "uniform int iCurrentCursorStyle;"),
    ("iPreviousCursorStyle", "uniform int iPreviousCursorStyle;"),
    ("iCursorVisible", "uniform int iCursorVisible;"),
    ("iTimeCursorChange", "uniform float iTimeCursorChange;"),
    ("iTimeFocus", "uniform float iTimeFocus;"),
    ("iFocus", "uniform int iFocus;"),
    ("iPalette", "uniform vec3 iPalette[256];"),
    ("iBackgroundColor", "uniform vec3 iBackgroundColor;"),
    ("iForegroundColor", "uniform vec3 iForegroundColor;"),
];

/// The text around a shader. Pictures are opaque, as on the site; the alpha of a buffer is data.
pub(super) fn frame(words: &TextWords<'_>, cubes: &[String], is_buffer: bool) -> Frame {
    let mut before = String::new();
    // Defined in front of every pass. Texts for slow devices ask whether it is 0.
    if words.has("HW_PERFORMANCE") && !words.has_pair("define", "HW_PERFORMANCE") {
        before += "#define HW_PERFORMANCE 1\n";
    }
    for (name, text) in SHADERTOY {
        let needed = words.has(name) || (name == "iTime" && words.has("iGlobalTime"));
        if needed && !words.declares(name) {
            before += text;
            before.push('\n');
        }
    }
    let mut sizes = Vec::new();
    for k in 0..4 {
        let channel = format!("iChannel{k}");
        let used = words.has(&channel);
        if used && !words.declares(&channel) {
            let kind = if cubes.contains(&channel) { "samplerCube" } else { "sampler2D" };
            before += &format!("uniform {kind} {channel};\n");
        }
        sizes.push(match used {
            true => format!("vec3(textureSize({channel}, 0), 1.0)"),
            false => "vec3(0.0)".to_owned(),
        });
    }
    if words.has("iChannelResolution") && !words.declares("iChannelResolution") {
        before += &format!("vec3 iChannelResolution[4] = vec3[4]({});\n", sizes.join(", "));
    }
    before += "out vec4 lambdavColour;\n";
    let opaque = if is_buffer { "" } else { " lambdavColour.a = 1.0;" };
    let behind = format!(
        "void main() {{ lambdavColour = vec4(0.0, 0.0, 0.0, 1.0); \
         mainImage(lambdavColour, gl_FragCoord.xy);{opaque} }}\n"
    );
    Frame { before, behind, notes: Vec::new() }
}
