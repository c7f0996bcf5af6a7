//! Observation of an evaluation.
//!
//! An [`Observer`] sees each operation with its operands and result, and each value. The observer `()` compiles away.

use crate::op::Op;
use crate::probes::{MetSites, Operands};
use crate::schedule::ValueId;
use crate::types::Type;

/// An operation that was evaluated.
#[derive(Clone, Copy, Debug)]
pub struct Evaluated<'e> {
    /// The value that it defines.
    pub value: ValueId,
    /// The operation.
    pub op: Op,
    /// The types of its operands.
    pub types: &'e [Type],
    /// Their words.
    pub operands: &'e [&'e [u32]],
    /// The words of the result.
    pub result: &'e [u32],
}

impl Evaluated<'_> {
    /// For a probe that hits, its site and the operands that it shows.
    pub fn met(&self) -> Option<(u32, Operands)> {
        let (Op::Probe(site), [1]) = (self.op, self.result) else { return None };
        let shown = self.types.iter().zip(self.operands).skip(1);
        Some((site, Operands(shown.map(|(ty, words)| (*ty, (*words).into())).collect())))
    }
}

/// An observer of an evaluation.
pub trait Observer {
    /// Called for each operation, in the order of evaluation, in every round of a loop.
    fn operation(&mut self, evaluated: &Evaluated<'_>);

    /// Called when an invocation of a dispatch begins, and when it goes on behind a barrier, with its global id.
    fn invocation(&mut self, _id: [u32; 3]) {}

    /// Called for each value once its words are known: in every round of a loop; for an `if` or a loop, when it ends.
    #[inline]
    fn value(&mut self, value: ValueId, words: &[u32]) {
        let _ = (value, words);
    }
}

/// Observes nothing; the hook compiles away.
impl Observer for () {
    #[inline]
    fn operation(&mut self, _: &Evaluated<'_>) {}
}

impl Observer for MetSites {
    fn operation(&mut self, evaluated: &Evaluated<'_>) {
        if let Some((site, operands)) = evaluated.met() {
            self.add(site, operands);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core_text::read;
    use crate::evaluate::Evaluator;
    use crate::inputs::Inputs;
    use crate::schedule::schedule;
    use crate::source::SourceFile;

    #[derive(Default)]
    struct Additions(Vec<[f32; 3]>, Vec<f32>);

    impl Observer for Additions {
        fn operation(&mut self, evaluated: &Evaluated<'_>) {
            if evaluated.op == Op::Add {
                assert_eq!(evaluated.types, [Type::NUM; 2]);
                let [a, b] = [0, 1].map(|k| evaluated.operands[k][0]);
                self.0.push([a, b, evaluated.result[0]].map(f32::from_bits));
            }
        }

        fn value(&mut self, _: ValueId, words: &[u32]) {
            self.1.push(f32::from_bits(words[0]));
        }
    }

    /// An observer sees the operations of each round, in order, and only evaluated ones.
    #[test]
    fn rounds_are_seen() {
        let text = "lambdav-core 1

uniform \"most\": num = 3.0

%0: num = uniform \"most\"
%1: num = 0.0
%2: num = 1.0
%3: num = loop (%4: num = %1) {
  %5: bool = less %4, %0
  if %5 {
    %6: num = add %4, %2
    rec %6
  } else {
    %7: num = add %4, %4
    yield %7
  }
}

output 0 = %3
";
        let (core, diagnostics) = read(&SourceFile::new("a.core", text));
        let core = core.unwrap_or_else(|| panic!("{diagnostics:?}"));
        let program = schedule(&core, &[0]).expect("it is small");
        let uniforms = core.uniforms.iter().map(|uniform| uniform.default.clone()).collect();
        let inputs = Inputs { uniforms, ..Inputs::default() };
        let mut evaluator = Evaluator::new(&program, 9);
        let mut seen = Additions::default();
        evaluator.run_observed(&inputs, &|| false, &mut seen).expect("it ends");
        let expected = [[0.0, 1.0, 1.0], [1.0, 1.0, 2.0], [2.0, 1.0, 3.0], [3.0, 3.0, 6.0]];
        // The operands of a sum may be in either order.
        let sorted = |[a, b, sum]: [f32; 3]| [a.max(b), a.min(b), sum];
        let sums: Vec<[f32; 3]> = seen.0.iter().copied().map(sorted).collect();
        assert_eq!(sums, expected.map(sorted));
        // 2 is a sum and the counter; 3 is the uniform, too; 6 is a sum and the loop's value.
        let count = |of: f32| seen.1.iter().filter(|value| **value == of).count();
        assert_eq!([2.0, 3.0, 6.0].map(count), [2, 3, 2], "{:?}", seen.1);
        assert_eq!(evaluator.output(0), [6.0_f32.to_bits()]);
    }
}
