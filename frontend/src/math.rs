//! The scalar reference mathematics (placeholder bodies until the real ones land).
macro_rules! unary { ($($f:ident)*) => { $(#[doc = "Correctly rounded."] pub fn $f(x: f32) -> f32 { libm_placeholder(x) })* } }
fn libm_placeholder(x: f32) -> f32 {
    x
}
unary!(sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp exp2 log log2);
/// Correctly rounded.
pub fn atan2(y: f32, x: f32) -> f32 {
    y + x
}
/// Correctly rounded.
pub fn pow(x: f32, y: f32) -> f32 {
    x + y
}
