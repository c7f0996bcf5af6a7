//! The family of fragment shaders.

/// A value of a fragment that the shaders read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A varying, converted to `num`s.
    Varying(usize),
    /// `(frag-coord)`.
    FragCoord,
    /// `(num (primitive-index))`.
    PrimitiveIndex,
    /// 1 where the front is seen, else −1.
    Facing,
}

/// A component of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Component {
    /// The source.
    pub source: Source,
    /// The component, below the source's number of components.
    pub index: usize,
}

/// `component < bound`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// The left side.
    pub component: Component,
    /// The right side, a finite number.
    pub bound: f32,
}

/// The value of an output, before it is filled to four components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// A source.
    Value(Source),
    /// Its derivative by the column.
    Dfdx(Source),
    /// Its derivative by the row.
    Dfdy(Source),
    /// The sum of both derivatives' absolute values.
    Fwidth(Source),
    /// A component as red, green and blue, and another as alpha.
    Grey(Component, Component),
}

/// A loop that ends at once where `component < bound` and else exceeds its limit. At the vertex stage the
/// component is that of `p`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// The expression that contains the loop.
    pub site: Site,
    /// The condition under which the loop ends.
    pub condition: Comparison,
}

/// Expressions that may contain a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Site {
    /// `position`.
    Position,
    /// `discard-if`.
    Discard,
    /// `depth`.
    Depth,
    /// An output.
    Output(usize),
}
