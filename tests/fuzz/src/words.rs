//! Mutation of SPIR-V modules as sequences of instructions.

use lambdav_generate::Random;
use lambdav_spirv_eval::Module;

/// The words before the first instruction.
const HEADER: usize = 5;

/// Words that are special in many places.
const WORDS: [u32; 14] = [
    0,
    1,
    2,
    3,
    4,
    32,
    64,
    0xffff,
    0x1_0000,
    0x7fff_ffff,
    0x8000_0000,
    0x7fc0_0000,
    0xffff_fffe,
    u32::MAX,
];

/// The words of a file. Bytes after the last whole word are dropped.
pub(crate) fn from_bytes(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks::<4>().0.iter().map(|&four| u32::from_le_bytes(four)).collect()
}

/// The module with one to a few changes. `others` are modules from which instructions are copied.
pub(crate) fn mutate(words: &[u32], others: &[Vec<u32>], random: &mut Random) -> Vec<u32> {
    let mut words = words.to_vec();
    for _ in 0..1 + random.weighted(&[50, 25, 12, 6, 4, 2, 1]) {
        change(&mut words, others, random);
    }
    words
}

/// The ranges of instructions, up to the first one with a wrong length.
fn instructions(words: &[u32]) -> Vec<(usize, usize)> {
    let mut all = Vec::new();
    let mut at = HEADER;
    while let Some(&first) = words.get(at) {
        let end = at + (first >> 16) as usize;
        if end <= at || end > words.len() {
            break;
        }
        all.push((at, end));
        at = end;
    }
    all
}

fn change(words: &mut Vec<u32>, others: &[Vec<u32>], random: &mut Random) {
    let all = instructions(words);
    if all.is_empty() {
        words.push(random.bits() as u32);
        return;
    }
    // The second half, with the functions, has more to break than names and types.
    let pick = |random: &mut Random| match random.percent(50) {
        true => all[all.len() / 2 + random.below(all.len() - all.len() / 2)],
        false => *random.pick(&all),
    };
    let (start, end) = pick(random);
    let (from, to) = pick(random);
    let within = |random: &mut Random| start + random.below(end - start);
    match random.weighted(&[12, 14, 10, 10, 6, 8, 10, 6, 8, 6, 2, 2]) {
        0 => words[within(random)] ^= 1 << random.below(32),
        1 => {
            // Replaces an operand by another word of the module, mostly another id.
            let word = words[from + random.below(to - from)];
            let at = within(random);
            if at > start || random.percent(10) {
                words[at] = word;
            }
        }
        2 => words[within(random)] = *random.pick(&WORDS),
        3 => words.splice(start..end, []).for_each(drop),
        4 => {
            let instruction = words[start..end].to_vec();
            words.splice(start..start, instruction);
        }
        5 => {
            let instruction = words[from..to].to_vec();
            words.splice(start..start, instruction);
        }
        6 if to <= start || end <= from => {
            let (first, second) =
                if start < from { ((start, end), (from, to)) } else { ((from, to), (start, end)) };
            let (a, b) = (words[first.0..first.1].to_vec(), words[second.0..second.1].to_vec());
            words.splice(second.0..second.1, a);
            words.splice(first.0..first.1, b);
        }
        7 => {
            // Swaps two ids, everywhere or from here on.
            let bound = words[3].clamp(2, 1 << 16) as usize;
            let (a, b) = (1 + random.below(bound - 1) as u32, 1 + random.below(bound - 1) as u32);
            let first = if random.percent(50) { HEADER } else { start };
            for word in &mut words[first..] {
                if *word == a {
                    *word = b;
                } else if *word == b {
                    *word = a;
                }
            }
        }
        8 => {
            let op = *random.pick(Module::ACCEPTED) as u32;
            words[start] = words[start] & 0xffff_0000 | op;
        }
        9 if !others.is_empty() => {
            let other = random.pick(others);
            let found = instructions(other);
            if !found.is_empty() {
                let &(from, to) = random.pick(&found);
                words.splice(start..start, other[from..to].iter().copied());
            }
        }
        10 => words.truncate(random.below(words.len() + 1)),
        11 => {
            let at = random.below(HEADER);
            words[at] = *random.pick(&WORDS);
        }
        _ => words[within(random)] = words[within(random)].wrapping_add(1),
    }
}
