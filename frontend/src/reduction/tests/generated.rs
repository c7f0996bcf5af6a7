//! Random programs without errors, on which the two evaluators must agree.

use super::{SourceFault, SourceOutcome, agree_as};
use lambdav_core::evaluate::EvaluationFault;
use lambdav_core::source::Span;
use lambdav_test_support::Random;

/// A name in scope: a value of this type, or a `func` with these parameter types.
#[derive(Clone)]
struct Name {
    name: String,
    parameters: Option<Vec<&'static str>>,
    ty: &'static str,
}

struct Generator {
    random: Random,
    scope: Vec<Name>,
    names: usize,
    /// Loops may be endless.
    endless: bool,
}

const TYPES: [&str; 5] = ["num", "num", "bool", "vec2", "vec3"];

impl Generator {
    fn ty(&mut self) -> &'static str {
        TYPES[self.random.below(TYPES.len())]
    }

    /// A name to bind: one of a few, so that they shadow one another, and sometimes the name of a builtin
    /// that the generator does not use.
    fn name(&mut self) -> String {
        self.names += 1;
        match self.random.below(6) {
            0 => self.random.pick(&["length", "dot", "clamp", "fract", "a0", "t"]).to_string(),
            _ => format!("{}{}", self.random.pick(&["x", "y"]), self.random.below(4)),
        }
    }

    fn bind(&mut self, name: &str, parameters: Option<Vec<&'static str>>, ty: &'static str) {
        self.scope.push(Name { name: name.to_owned(), parameters, ty });
    }

    /// A name in scope that is not shadowed and fits.
    fn visible(&mut self, fits: impl Fn(&Name) -> bool) -> Option<Name> {
        let scope = &self.scope;
        let last = |n: &Name| scope.iter().rposition(|o| o.name == n.name);
        let fit: Vec<usize> =
            (0..scope.len()).filter(|&i| last(&scope[i]) == Some(i) && fits(&scope[i])).collect();
        (!fit.is_empty()).then(|| self.scope[fit[self.random.below(fit.len())]].clone())
    }

    fn leaf(&mut self, ty: &'static str) -> String {
        if self.random.below(3) > 0
            && let Some(known) = self.visible(|n| n.parameters.is_none() && n.ty == ty)
        {
            return known.name;
        }
        match ty {
            "num" => {
                let leaves =
                    ["0", "1", "-0.0", "2.5", "-3", "1e30", "(time)", "(.x (frag-coord))", "pi"];
                self.random.pick(&leaves).to_string()
            }
            "bool" => self.random.pick(&["true", "false", "(< (.y (frag-coord)) 4)"]).to_string(),
            "vec2" => {
                self.random.pick(&["(vec2 1 -2)", "(resolution)", "(.yx (frag-coord))"]).to_string()
            }
            _ => self
                .random
                .pick(&["(vec3 0 1 2)", "(.xyy (frag-coord))", "(vec3 (time))"])
                .to_string(),
        }
    }

    fn value(&mut self, ty: &'static str, depth: usize) -> String {
        if depth == 0 {
            return self.leaf(ty);
        }
        let d = depth - 1;
        match self.random.below(12) {
            0 => self.leaf(ty),
            1 => {
                let c = self.value("bool", d);
                format!("(if {c} {} {})", self.value(ty, d), self.value(ty, d))
            }
            2 => self.binding(ty, d, Self::value),
            3 => self.application(ty, d),
            4 => self.rec_func(ty, d),
            5 => format!("(the {ty} {})", self.value(ty, d)),
            6 => format!(
                "(select {} {} {})",
                self.value("bool", d),
                self.value(ty, d),
                self.value(ty, d)
            ),
            _ => self.operation(ty, d),
        }
    }

    fn operation(&mut self, ty: &'static str, d: usize) -> String {
        match ty {
            "bool" => match self.random.below(4) {
                0 => format!("(not {})", self.value("bool", d)),
                1 => {
                    let op = self.random.pick(&["and", "or", "="]);
                    format!("({op} {} {})", self.value("bool", d), self.value("bool", d))
                }
                2 => format!("(any-of (< {} {}))", self.value("vec2", d), self.value("num", d)),
                _ => {
                    let op = self.random.pick(&["<", "<=", ">", ">=", "=", "!="]);
                    format!("({op} {} {})", self.value("num", d), self.value("num", d))
                }
            },
            "num" => match self.random.below(5) {
                0 => format!("({} {})", self.random.pick(&[".x", ".y"]), self.value("vec2", d)),
                1 => format!("(at {} {})", self.value("vec3", d), self.random.below(3)),
                2 => format!(
                    "(determinant (mat2 {} {}))",
                    self.value("vec2", d),
                    self.value("vec2", d)
                ),
                3 => format!(
                    "({} {})",
                    self.random.pick(&["abs", "floor", "sign", "-", "sqrt"]),
                    self.value("num", d)
                ),
                _ => self.arithmetic("num", d),
            },
            _ => match (self.random.below(4), ty) {
                (0, "vec2") => format!("(vec2 {} {})", self.value("num", d), self.value("num", d)),
                (0, _) => format!("(vec3 {} {})", self.value("num", d), self.value("vec2", d)),
                (1, "vec2") => {
                    let m = format!("(mat2 {} {})", self.value("vec2", d), self.value("vec2", d));
                    format!("(* {m} {})", self.value("vec2", d))
                }
                (1, _) => format!("(cross {} {})", self.value("vec3", d), self.value("vec3", d)),
                _ => self.arithmetic(ty, d),
            },
        }
    }

    fn arithmetic(&mut self, ty: &'static str, d: usize) -> String {
        let op = self.random.pick(&["+", "-", "*", "/", "min", "max", "mod", "step"]);
        let other = if self.random.below(3) == 0 { "num" } else { ty };
        format!("({op} {} {})", self.value(ty, d), self.value(other, d))
    }

    /// A `let` or `let*` around the result of `body`.
    fn binding(
        &mut self,
        ty: &'static str,
        d: usize,
        body: impl FnOnce(&mut Self, &'static str, usize) -> String,
    ) -> String {
        let outside = self.scope.len();
        let sequential = self.random.below(2) == 0;
        let (mut text, mut names) = (String::new(), Vec::new());
        for _ in 0..=self.random.below(2) {
            let name = self.name();
            if names.iter().any(|n: &Name| n.name == name) && !sequential {
                continue;
            }
            let (right, parameters, of) = match self.random.below(3) {
                0 => self.function(d),
                _ => {
                    let of = self.ty();
                    (self.value(of, d), None, of)
                }
            };
            text += &format!("({name} {right})");
            names.push(Name { name: name.clone(), parameters: parameters.clone(), ty: of });
            if sequential {
                self.bind(&name, parameters, of);
            }
        }
        if !sequential {
            self.scope.extend(names);
        }
        let body = body(self, ty, d);
        self.scope.truncate(outside);
        format!("({} ({text}) {body})", if sequential { "let*" } else { "let" })
    }

    /// A function expression, the types of its parameters, and the type of its result.
    fn function(&mut self, d: usize) -> (String, Option<Vec<&'static str>>, &'static str) {
        let ty = self.ty();
        let parameters: Vec<&'static str> = (0..self.random.below(3)).map(|_| self.ty()).collect();
        let text = self.function_of(&parameters, ty, d);
        (text, Some(parameters), ty)
    }

    fn function_of(&mut self, parameters: &[&'static str], ty: &'static str, d: usize) -> String {
        let fits = |n: &Name| n.ty == ty && n.parameters.as_deref() == Some(parameters);
        match self.random.below(4) {
            0 if d > 0 => {
                let c = self.value("bool", d - 1);
                let branches = [(); 2].map(|()| self.function_of(parameters, ty, d - 1));
                return format!("(if {c} {} {})", branches[0], branches[1]);
            }
            1 => {
                if let Some(known) = self.visible(fits) {
                    return known.name;
                }
            }
            _ => {}
        }
        let outside = self.scope.len();
        let mut names: Vec<String> = Vec::new();
        for &parameter in parameters {
            let mut name = self.name();
            while names.contains(&name) {
                name = format!("{name}'");
            }
            self.bind(&name, None, parameter);
            names.push(name);
        }
        let body = self.value(ty, d);
        self.scope.truncate(outside);
        format!("(func ({}) {body})", names.join(" "))
    }

    fn application(&mut self, ty: &'static str, d: usize) -> String {
        let known = self.visible(|n| n.ty == ty && n.parameters.is_some());
        let (callee, parameters) = match known {
            Some(Name { name, parameters: Some(parameters), .. }) if self.random.below(4) > 0 => {
                (name, parameters)
            }
            _ => {
                let count = self.random.below(3);
                let parameters: Vec<&'static str> = (0..count).map(|_| self.ty()).collect();
                (self.function_of(&parameters, ty, d), parameters)
            }
        };
        let arguments: String =
            parameters.iter().map(|p| format!(" {}", self.value(p, d))).collect();
        format!("({callee}{arguments})")
    }

    /// A loop that counts down, with other parameters and sometimes a static function.
    fn rec_func(&mut self, ty: &'static str, d: usize) -> String {
        let count = self.random.below(4);
        let types: Vec<&'static str> = (0..count).map(|_| self.ty()).collect();
        let function = (self.random.below(3) == 0).then(|| {
            let parameters = vec![self.ty()];
            let of = self.ty();
            (self.function_of(&parameters, of, d), parameters, of)
        });
        let mut inits =
            vec![self.random.pick(&["0", "1", "3", "4", "(floor (.x (frag-coord)))"]).to_string()];
        inits.extend(types.iter().map(|t| self.value(t, d)).collect::<Vec<_>>());
        inits.extend(function.iter().map(|(text, ..)| text.clone()));
        let outside = self.scope.len();
        // Unique, so that the tail can refer to them.
        let id = self.names;
        self.names += 1;
        let mut names = vec![format!("n{id}")];
        for (i, &of) in types.iter().enumerate() {
            names.push(format!("p{id}-{i}"));
            self.bind(&format!("p{id}-{i}"), None, of);
        }
        if let Some((_, parameters, of)) = function {
            names.push(format!("f{id}"));
            self.bind(&format!("f{id}"), Some(parameters), of);
        }
        self.bind(&names[0], None, "num");
        let body = self.tail(ty, &types, &names, d);
        let stop = self.value(ty, d);
        self.scope.truncate(outside);
        let compare = if self.endless && self.random.below(8) == 0 { "<" } else { "<=" };
        let zero = if compare == "<" { "-9" } else { "0" };
        format!(
            "((rec-func ({}) (if ({compare} n{id} {zero}) {stop} {body})) {})",
            names.join(" "),
            inits.join(" ")
        )
    }

    /// A tail with at least one `rec`.
    fn tail(
        &mut self,
        ty: &'static str,
        types: &[&'static str],
        names: &[String],
        d: usize,
    ) -> String {
        let inner = d.saturating_sub(1);
        match self.random.below(if d == 0 { 1 } else { 7 }) {
            1 => {
                let c = self.value("bool", inner);
                let a = self.tail(ty, types, names, inner);
                let b = match self.random.below(2) {
                    0 => self.value(ty, inner),
                    _ => self.tail(ty, types, names, inner),
                };
                if self.random.below(2) == 0 {
                    format!("(if {c} {a} {b})")
                } else {
                    format!("(if {c} {b} {a})")
                }
            }
            2 => self.binding(ty, inner, |g, ty, d| g.tail(ty, types, names, d)),
            3 => {
                let again = self.tail(ty, types, names, inner);
                let c = self.value("bool", inner);
                format!("(let ((again {again})) (if {c} again {}))", self.value(ty, inner))
            }
            4 => {
                let again = self.tail(ty, types, names, inner);
                let unused = self.value("num", inner);
                let outside = self.scope.len();
                self.bind("w", None, "num");
                let c = self.value("bool", inner);
                self.scope.truncate(outside);
                let stop = self.value(ty, inner);
                format!("((func (k w) (if {c} {stop} k)) {again} {unused})")
            }
            _ => {
                let step = if self.endless && self.random.below(8) == 0 { "0" } else { "1" };
                let mut text = format!("(rec (- {} {step})", names[0]);
                for &of in types {
                    text += &format!(" {}", self.value(of, inner));
                }
                if names.len() > types.len() + 1 {
                    text += &format!(" {}", names[types.len() + 1]);
                }
                text + ")"
            }
        }
    }

    fn program(&mut self) -> String {
        let mut text = String::new();
        for _ in 0..self.random.below(4) {
            let name = self.name();
            let (right, parameters, ty) = match self.random.below(2) {
                0 => self.function(2),
                _ => {
                    let ty = self.ty();
                    (self.value(ty, 2), None, ty)
                }
            };
            text += &format!("(define {name} {right})\n");
            self.bind(&name, parameters, ty);
        }
        let ty = ["num", "vec2", "vec3"][self.random.below(3)];
        let depth = 3 + self.random.below(2);
        text + &self.value(ty, depth)
    }
}

/// If several operands do not end, the language does not specify which loop is reported.
fn any_loop(outcome: SourceOutcome) -> SourceOutcome {
    outcome.map_err(|fault| match fault {
        SourceFault::Pixel(EvaluationFault::LoopLimit(_)) => {
            EvaluationFault::LoopLimit(Span::default()).into()
        }
        other => other,
    })
}

fn agree_on(seeds: std::ops::Range<u64>, endless: bool) {
    let mut faults = 0;
    for seed in seeds.clone() {
        let random = Random::new(seed);
        let mut generator = Generator { random, scope: Vec::new(), names: 0, endless };
        let text = generator.program();
        faults += usize::from(agree_as(&text, any_loop).is_err());
    }
    let all = seeds.count();
    assert!(faults * 2 < all, "{faults} of {all} programs have no value");
}

#[test]
fn programs_that_end() {
    agree_on(0..400, false);
}

#[test]
fn programs_that_may_not_end() {
    agree_on(1000..1300, true);
}
