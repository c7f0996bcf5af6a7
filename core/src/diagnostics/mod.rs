//! Diagnostics: the fault, its position, and the remedy.
//!
//! Every kind of diagnostic is one line of the table of codes below and one page in `pages/`, which explains
//! it and contains a program that provokes it and a corrected one. [`render_text`] is for users;
//! [`render_json`], [`render_github`] and [`SarifLog`] are for programs.

mod collected;
mod github;
pub mod json;
mod pages;
mod sarif;
mod text;
mod words;

pub use collected::{Diagnostics, Omitted};
pub use github::{render_github, render_github_error, render_github_omitted};
pub use json::{render_json, render_json_omitted};
pub use pages::{Tag, page_examples};
pub use sarif::SarifLog;
pub use text::render_text;
pub use words::{is_control, nearest_name, one_line, printable, quote};

use std::collections::HashSet;

use crate::source::Span;

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// The program is refused.
    Error,
    /// The program is accepted.
    Warning,
}

impl Severity {
    /// The name in machine-readable formats: `error` or `warning`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// A position with a remark on it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Label {
    /// The position.
    pub span: Span,
    /// The remark; may be empty.
    pub message: String,
}

macro_rules! codes {
    ($($variant:ident = $code:literal, $severity:ident, $title:literal;)*) => {
        /// The stable code of a kind of diagnostic.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[allow(missing_docs, reason = "the title says it")]
        pub enum DiagnosticCode { $($variant,)* }

        impl DiagnosticCode {
            /// All codes, ascending.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The code as printed: `LV0101`.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $code,)* }
            }

            /// A one-line description of the code.
            pub fn title(self) -> &'static str {
                match self { $(Self::$variant => $title,)* }
            }

            /// The severity of the code.
            pub fn severity(self) -> Severity {
                match self { $(Self::$variant => Severity::$severity,)* }
            }

            /// The page that explains the code, in Markdown.
            pub fn page(self) -> &'static str {
                match self { $(Self::$variant => include_str!(concat!("pages/", $code, ".md")),)* }
            }

            /// Parses a printed code, in upper or lower case.
            pub fn parse(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|code| code.as_str().eq_ignore_ascii_case(text))
            }
        }
    };
}

codes! {
    NotUtf8 = "LV0101", Error, "the text is not UTF-8";
    MalformedNumber = "LV0102", Error, "a token starts like a number and is not one";
    NumberTooLarge = "LV0103", Error, "a number does not fit its type";
    UnclosedList = "LV0104", Error, "a list is not closed";
    UnmatchedParenthesis = "LV0105", Error, "a closing parenthesis has no opening one";
    NestedTooDeep = "LV0106", Error, "lists are nested too deep";
    ControlCharacter = "LV0107", Error, "a control character stands in the text";
    TextTooLong = "LV0108", Error, "the text is too long";
    UnclosedString = "LV0109", Error, "a string is not closed";
    MalformedTopLevel = "LV0201", Error, "a top-level form has the wrong shape";
    NoOutput = "LV0202", Error, "the program has no output";
    DuplicateOutput = "LV0203", Error, "two outputs have the same location";
    DuplicateUniform = "LV0204", Error, "two uniforms have the same name";
    OutputLocation = "LV0205", Error, "an output location is not a literal from 0 to 7";
    HighLocation = "LV0206", Warning, "an output location above 3 is not available everywhere";
    UnknownType = "LV0207", Error, "there is no type of that name";
    ReservedWord = "LV0208", Error, "a reserved word of the top level is bound or used elsewhere";
    OutputType = "LV0209", Error, "an output is not a num or a vector of num";
    UniformDefaultInput = "LV0210", Error, "the default of a uniform depends on an input";
    UniformDefaultType = "LV0211", Error, "the default of a uniform has another type";
    UniformType = "LV0212", Error, "a uniform or an element of a buffer cannot have this type";
    CannotInclude = "LV0213", Error, "a file cannot be included";
    DuplicateType = "LV0214", Error, "a type is declared twice";
    IncompleteType = "LV0215", Error, "an incomplete type stands where a complete one is needed";
    LargeUniforms = "LV0216", Warning, "the uniforms are larger than every GPU allows";
    ForeignText = "LV0217", Error, "the text is in another language";
    WrongStage = "LV0218", Error, "an input belongs to another stage";
    NeedsPosition = "LV0219", Error, "only a program with a position has this";
    InterfaceType = "LV0220", Error, "an attribute or varying cannot have this type";
    DuplicateInterface = "LV0221", Error, "two attributes or varyings have the same name";
    HiddenForm = "LV0222", Warning, "a define hides a top-level form";
    DuplicatePass = "LV0223", Error, "two passes have the same name";
    MixedWrites = "LV0224", Error, "a pass writes a buffer in two ways";
    ResultLength = "LV0225", Error, "the length of a result is not known";
    NoResult = "LV0226", Error, "a pass writes something that is no result";
    UnboundName = "LV0301", Error, "a name is not bound";
    FormAsValue = "LV0302", Error, "a special form is used as a value";
    MalformedForm = "LV0303", Error, "a special form has the wrong shape";
    DuplicateName = "LV0304", Error, "a name is bound twice in one form";
    RecOutside = "LV0305", Error, "rec stands outside every rec-func";
    RecAsParameter = "LV0306", Error, "a parameter of a rec-func is named rec";
    EmptyList = "LV0307", Error, "an empty list means nothing";
    StringAsValue = "LV0308", Error, "a string is used as a value";
    OperandTypes = "LV0401", Error, "a builtin does not take operands of these types";
    OperandCount = "LV0402", Error, "a builtin takes another number of operands";
    ArgumentCount = "LV0403", Error, "a function takes another number of arguments";
    NotAFunction = "LV0404", Error, "something that is not a function is applied";
    ConditionType = "LV0405", Error, "the condition of an if is not a bool";
    BranchTypes = "LV0406", Error, "the branches of an if have different types";
    RecTypes = "LV0407", Error, "rec passes other types than the first call";
    RecCount = "LV0408", Error, "rec passes another number of arguments";
    NoRec = "LV0409", Error, "the body of a rec-func contains no rec";
    NoValue = "LV0410", Error, "no path through a rec-func ends in a value";
    RecNotTail = "LV0411", Error, "rec is not in tail position";
    RecOfAnother = "LV0412", Error, "a rec reaches the body of another rec-func";
    NotStatic = "LV0413", Error, "a function argument of a rec-func changes from round to round";
    RecFuncResult = "LV0414", Error, "a rec-func returns a function";
    FunctionAsValue = "LV0415", Error, "a function stands where a value is needed";
    AnnotationMismatch = "LV0416", Error, "an annotation names another type";
    IndexLiteral = "LV0417", Error, "an index is not a literal in range";
    UnreachedIllTyped = "LV0418", Warning, "an argument that is never used is ill-typed";
    TypeTooLarge = "LV0419", Error, "a value is too large";
    ConstantIndex = "LV0420", Warning, "a constant index lies outside";
    WrongCases = "LV0421", Error, "the clauses of a case do not fit the variant";
    HeldFunction = "LV0422", Error, "functions in a value that is not known at compile time";
    NoSuchField = "LV0423", Error, "there is no such field";
    NotTheVariant = "LV0424", Error, "a case is made of something that is not its variant";
    NoNeighbour = "LV0425", Error, "a derivative needs a value that the neighbour lacks";
    WriteType = "LV0426", Error, "a pass has a size, index or value of another type";
    EndlessExpansion = "LV0501", Error, "functions call each other without end";
    ExpansionTooLarge = "LV0502", Error, "the program expands to too much code";
    BlocksTooDeep = "LV0503", Error, "branches and loops are nested too deep";
    LoopLimit = "LV0504", Error, "a loop exceeds the iteration limit";
    EvaluatorLimit = "LV0505", Error, "the source evaluator gave up";
    IndexedArray = "LV0506", Error, "an array is too large to be indexed in machine code";
    Unbound = "LV0507", Error, "a texture or buffer is not bound";
    Dispatched = "LV0508", Error, "a program that writes memory draws no picture";
    DivergentBarrier = "LV0509", Error, "a barrier in divergent control flow";
    TooManyIds = "LV0510", Error, "a pass has too many ids";
    WrittenTwice = "LV0511", Error, "a unique scatter writes to one place twice";
    UnorderedWrite = "LV0512", Error, "SPIR-V cannot keep the order of a write";
    NativeSampler = "LV0513", Error, "a texture has options that a device's sampler lacks";
    MalformedCore = "LV0601", Error, "core text is malformed";
    CoreVersion = "LV0602", Error, "core text is of another version";
    InvalidModule = "LV0603", Error, "a SPIR-V module goes wrong";
    MalformedModule = "LV0604", Error, "a SPIR-V module breaks a rule";
    UnsupportedModule = "LV0605", Error, "a shader or module uses an unsupported feature";
    GlslDirective = "LV0611", Error, "a preprocessor directive or macro is wrong";
    GlslToken = "LV0612", Error, "a character or number does not belong to GLSL";
    GlslSyntax = "LV0613", Error, "a text is no GLSL";
    GlslName = "LV0614", Error, "GLSL has no such name here";
    GlslRedeclared = "LV0615", Error, "a name of GLSL is declared twice";
    GlslTypes = "LV0616", Error, "types of GLSL do not fit";
    GlslArguments = "LV0617", Error, "no function of GLSL takes these arguments";
    GlslNotAssignable = "LV0618", Error, "something is assigned that is no variable";
    GlslQualifier = "LV0619", Error, "a qualifier of GLSL stands in the wrong place";
    GlslNotConstant = "LV0620", Error, "GLSL needs a constant here";
    GlslPlacement = "LV0621", Error, "a statement of GLSL stands in the wrong place";
    GlslVersion = "LV0622", Error, "this version of GLSL lacks something";
    GlslTooLarge = "LV0623", Error, "a GLSL text is too large";
    WgslDirective = "LV0631", Error, "an import or directive of WGSL is wrong";
    WgslToken = "LV0632", Error, "a character or number does not belong to WGSL";
    WgslSyntax = "LV0633", Error, "a text is no WGSL";
    WgslName = "LV0634", Error, "WGSL has no such name here";
    WgslRedeclared = "LV0635", Error, "a name of WGSL is declared twice";
    WgslTypes = "LV0636", Error, "types of WGSL do not fit";
    WgslArguments = "LV0637", Error, "no function of WGSL takes these arguments";
    WgslNotAssignable = "LV0638", Error, "something of WGSL cannot be assigned";
    WgslAttribute = "LV0639", Error, "an attribute of WGSL is wrong, or lacks";
    WgslNotConstant = "LV0640", Error, "WGSL needs a constant here";
    WgslPlacement = "LV0641", Error, "something of WGSL stands in the wrong place";
    WgslConstant = "LV0642", Error, "a constant of WGSL has no value";
    WgslTooLarge = "LV0643", Error, "a WGSL text is too large";
    WgslUniformity = "LV0644", Warning, "a derivative or barrier of WGSL is not in uniform control flow";
    UnusedUniform = "LV0701", Warning, "a uniform is never used";
    UnusedParameter = "LV0702", Warning, "a parameter is never used";
    HiddenDefine = "LV0703", Warning, "a define hides another one";
}

impl DiagnosticCode {
    /// True for a finding on a correct program that is perhaps not meant so: only `lambdav check` reports it.
    pub fn is_lint(self) -> bool {
        matches!(self, Self::UnusedUniform | Self::UnusedParameter | Self::HiddenDefine)
    }
}

/// Shortens a long name or text in the middle, so that a message stays readable.
fn brief(text: impl Into<String>) -> String {
    const MAX_BYTES: usize = 2000;
    const ENDS: usize = 500;
    let text = text.into();
    if text.len() <= MAX_BYTES {
        return text;
    }
    let (start, end) = (text.floor_char_boundary(ENDS), text.ceil_char_boundary(text.len() - ENDS));
    format!("{} … {}", &text[..start], &text[end..])
}

/// A finding.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Diagnostic {
    /// Its kind.
    pub code: DiagnosticCode,
    /// The fault, in one sentence without a full stop.
    pub message: String,
    /// The position of the fault.
    pub primary: Label,
    /// Other relevant positions.
    pub secondary: Vec<Label>,
    /// Facts that help to understand the fault.
    pub notes: Vec<String>,
    /// The remedy.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A finding of this kind at `span`.
    pub fn new(code: DiagnosticCode, span: Span, message: impl Into<String>) -> Self {
        Self {
            code,
            message: brief(message),
            primary: Label { span, message: String::new() },
            secondary: Vec::new(),
            notes: Vec::new(),
            help: None,
        }
    }

    /// Sets the label of the primary position.
    #[must_use]
    pub fn label(mut self, message: impl Into<String>) -> Self {
        self.primary.message = brief(message);
        self
    }

    /// Adds a secondary position.
    #[must_use]
    pub fn also(mut self, span: Span, message: impl Into<String>) -> Self {
        self.secondary.push(Label { span, message: brief(message) });
        self
    }

    /// Adds a note.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(brief(note));
        self
    }

    /// Sets the remedy.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(brief(help));
        self
    }

    /// The message, then the label of the primary position, notes and help, each on its own line: for formats
    /// with a single text.
    pub(crate) fn paragraphs(&self) -> String {
        let mut text = self.message.clone();
        if !self.primary.message.is_empty() {
            text += &format!("\n{}", self.primary.message);
        }
        for note in &self.notes {
            text += &format!("\nnote: {note}");
        }
        if let Some(help) = &self.help {
            text += &format!("\nhelp: {help}");
        }
        text
    }

    /// True if the program is refused because of it.
    pub fn is_error(&self) -> bool {
        self.code.severity() == Severity::Error
    }
}

/// The diagnostics in order of position, errors and warnings mixed, without duplicates.
fn in_order(diagnostics: &[Diagnostic]) -> Vec<&Diagnostic> {
    let mut seen = HashSet::new();
    let mut ordered: Vec<_> = diagnostics.iter().filter(|&d| seen.insert(d)).collect();
    ordered.sort_by_key(|d| d.primary.span);
    ordered
}

/// A path without leading `./`: services find a file by its path in the repository.
fn without_dot(path: &str) -> &str {
    match path.strip_prefix("./") {
        Some(rest) => without_dot(rest.trim_start_matches('/')),
        None => path,
    }
}
