//! Samples of textures (LANGUAGE §12): linear, edges clamped.

use super::super::arithmetic::Unary;
use super::super::code::Level;
use super::{ModuleEvaluator, Wrong};
use lambdav_core::op::Elementary;
use lambdav_core::texture::TextureData;

fn mix(a: [f32; 4], b: [f32; 4], t: f32) -> [f32; 4] {
    [0, 1, 2, 3].map(|k| a[k] * (1.0 - t) + b[k] * t)
}

/// A sample at a level of detail, which may lie between two levels; without one, of the largest level.
pub(super) fn sample(
    texture: &TextureData,
    at: [f32; 2],
    offset: [u32; 2],
    level: Option<f32>,
) -> [f32; 4] {
    let Some(level) = level else { return of_level(texture, at, offset, 0) };
    let last = (texture.levels().len() as i32 - 1) as f32;
    let level = if level > 0.0 { level.min(last) } else { 0.0 };
    let floor = level.floor();
    let [first, second] = [0, 1].map(|more| of_level(texture, at, offset, floor as i32 + more));
    mix(first, second, level - floor)
}

/// A linear sample of one level.
fn of_level(texture: &TextureData, [u, v]: [f32; 2], [dx, dy]: [u32; 2], level: i32) -> [f32; 4] {
    let level = level.min(texture.levels().len() as i32 - 1);
    let size = texture.level(level);
    let (qx, qy) = (u * size.width as f32 - 0.5, v * size.height as f32 - 0.5);
    let (fx, fy) = (qx - qx.floor(), qy - qy.floor());
    let [x, y] = [qx.floor() as i32, qy.floor() as i32];
    let [x, y] = [x.wrapping_add(dx as i32), y.wrapping_add(dy as i32)];
    let [right, below] = [x.wrapping_add(1), y.wrapping_add(1)];
    let upper = mix(texture.texel(x, y, level), texture.texel(right, y, level), fx);
    let lower = mix(texture.texel(x, below, level), texture.texel(right, below, level), fx);
    mix(upper, lower, fy)
}

impl ModuleEvaluator<'_> {
    /// The level of detail of a sample.
    pub(super) fn level_of_detail(
        &self,
        texture: &TextureData,
        level: Option<Level>,
    ) -> Result<Option<f32>, Wrong> {
        let number = |at: usize| {
            self.check(at)?;
            Ok(f32::from_bits(self.memory[at]))
        };
        Ok(match level {
            None => None,
            Some(Level::Given(at)) => Some(number(at)?),
            Some(Level::Moved(moves, bias)) => {
                let size = texture.level(0);
                let size = [size.width as f32, size.height as f32];
                let mut squares = [0.0; 2];
                for (square, at) in squares.iter_mut().zip(moves) {
                    self.check(at)?;
                    let [x, y] = [0, 1].map(|k| f32::from_bits(self.memory[at + k]) * size[k]);
                    *square = x * x + y * y;
                }
                let most = if squares[0] < squares[1] { squares[1] } else { squares[0] };
                let log2 = Unary::Elementary(Elementary::Log2).apply(most.to_bits());
                let level = 0.5 * f32::from_bits(log2);
                Some(match bias {
                    Some(bias) => level + number(bias)?,
                    None => level,
                })
            }
        })
    }
}
