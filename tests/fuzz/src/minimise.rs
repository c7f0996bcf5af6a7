//! Minimisation of failing inputs.

/// Splits an input into units, each of which may be removed.
type Cuts = fn(&[u8]) -> Vec<Vec<u8>>;

/// Removes lines, then tokens or words, then bytes, while `still` is true. `still` is called at most
/// `attempts` times.
///
/// The complements step of Zeller and Hildebrandt's `ddmin` ("Simplifying and Isolating Failure-Inducing
/// Input", 2002): halves first, then ever smaller pieces.
pub fn minimise(
    input: &[u8],
    is_binary: bool,
    attempts: usize,
    still: &mut dyn FnMut(&[u8]) -> bool,
) -> Vec<u8> {
    let mut best = input.to_vec();
    let mut left = attempts;
    let cuts: &[Cuts] = if is_binary { &[four_bytes] } else { &[lines, tokens, bytes] };
    for cut in cuts {
        let mut units = cut(&best);
        let mut size = (units.len() / 2).max(1);
        loop {
            let mut at = 0;
            let before = units.len();
            while at < units.len() && left > 0 {
                let mut fewer = units.clone();
                fewer.drain(at..(at + size).min(units.len()));
                left -= 1;
                if still(&fewer.concat()) {
                    units = fewer;
                } else {
                    at += size;
                }
            }
            if size == 1 && units.len() == before || left == 0 {
                break;
            }
            size = (size / 2).max(1);
        }
        best = units.concat();
    }
    best
}

fn lines(text: &[u8]) -> Vec<Vec<u8>> {
    text.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect()
}

fn tokens(text: &[u8]) -> Vec<Vec<u8>> {
    let kind = |byte: u8| match byte {
        b'(' | b')' | b'{' | b'}' => 0,
        b if b.is_ascii_whitespace() => 1,
        _ => 2,
    };
    text.chunk_by(|&a, &b| kind(a) == kind(b) && kind(a) != 0).map(<[u8]>::to_vec).collect()
}

fn bytes(text: &[u8]) -> Vec<Vec<u8>> {
    text.iter().map(|&byte| vec![byte]).collect()
}

fn four_bytes(words: &[u8]) -> Vec<Vec<u8>> {
    words.chunks(4).map(<[u8]>::to_vec).collect()
}
