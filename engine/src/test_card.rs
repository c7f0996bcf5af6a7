//! Test cards: pictures in place of images that nothing binds.
//!
//! A card is a grid of 8 by 8 cells, red from left to right and green from top to bottom, with the name of the texture in
//! block letters in the middle and a white cell at the upper left. All samples are multiples of 1/64.

/// Width and height of a card.
const SIDE: u32 = 256;

/// Width and height of a cell.
const CELL: u32 = 32;

/// Letters of 3 by 5 blocks: one octal digit for each row, from the top.
const LETTERS: [u16; 26] = [
    0o25755, 0o65656, 0o34443, 0o65556, 0o74647, 0o74644, 0o34553, 0o55755, 0o72227, 0o11152,
    0o55655, 0o44447, 0o57755, 0o65555, 0o25552, 0o65644, 0o25521, 0o65655, 0o34216, 0o72222,
    0o55557, 0o55552, 0o55775, 0o55255, 0o55222, 0o71247,
];
const DIGITS: [u16; 10] =
    [0o75557, 0o26227, 0o61247, 0o61216, 0o55711, 0o74616, 0o34757, 0o71222, 0o75757, 0o75716];
const UNDERLINE: u16 = 0o00007;
const DOT: u16 = 0o00002;

fn letter(c: char) -> u16 {
    match c.to_ascii_uppercase() {
        c @ 'A'..='Z' => LETTERS[c as usize - 'A' as usize],
        c @ '0'..='9' => DIGITS[c as usize - '0' as usize],
        '_' => UNDERLINE,
        _ => DOT,
    }
}

/// True if this pixel belongs to a letter of the name.
fn is_ink(name: &[u16], block: u32, x: u32, y: u32) -> bool {
    let width = block * (4 * name.len() as u32).saturating_sub(1);
    let height = 5 * block;
    let left = x.checked_sub((SIDE - width) / 2).filter(|&x| x < width);
    let top = y.checked_sub((SIDE - height) / 2).filter(|&y| y < height);
    let (Some(x), Some(y)) = (left, top) else { return false };
    let (column, row) = (x / block, y / block);
    let (index, column) = (column / 4, column % 4);
    column < 3 && name[index as usize] >> (14 - 3 * row - column) & 1 == 1
}

/// The texels of the card of a texture, row by row from the top, and its size.
pub(crate) fn test_card(name: &str) -> ([u32; 2], Vec<[f32; 4]>) {
    let letters: Vec<u16> = name.chars().take(15).map(letter).collect();
    let block = (SIDE / (4 * letters.len().max(1) as u32 + 1)).clamp(1, 8);
    let texel = |x: u32, y: u32| {
        let (column, row) = (x / CELL, y / CELL);
        let (red, green) = ((2 * column + 1) as f32 / 16.0, (2 * row + 1) as f32 / 16.0);
        let blue = if (column + row).is_multiple_of(2) { 0.25 } else { 0.5 };
        // The middle rows are dark, so that the name can be read.
        let is_band = y.abs_diff(SIDE / 2) < 3 * block + 2;
        match (is_ink(&letters, block, x, y), is_band, (column, row)) {
            (true, ..) | (_, _, (0, 0)) => [1.0; 4],
            (false, true, _) => [red / 4.0, green / 4.0, blue / 4.0, 1.0],
            _ => [red, green, blue, 1.0],
        }
    };
    let texels = (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| (x, y)));
    ([SIDE, SIDE], texels.map(|(x, y)| texel(x, y)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names of all lengths fit, and letters stand upright.
    #[test]
    fn cards_have_their_names() {
        for name in ["", "i", "iChannel0", "a_very.long/name of a texture"] {
            let (size, texels) = test_card(name);
            assert_eq!(texels.len() as u32, size[0] * size[1]);
            assert_eq!([texels[0], texels[255]], [[1.0; 4], [0.9375, 0.0625, 0.5, 1.0]]);
        }
        let name = [letter('L')];
        let is_ink = |column: u32, row: u32| is_ink(&name, 8, 116 + 8 * column, 108 + 8 * row);
        assert!(is_ink(0, 0) && is_ink(0, 4) && is_ink(2, 4));
        assert!(!is_ink(2, 0) && !is_ink(1, 2));
    }
}
