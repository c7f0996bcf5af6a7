//! Expansion as in C.

use super::{gives, run, words};

/// ISO C 6.10.3.5, without `#` and `...`.
#[test]
fn the_examples_of_the_standard() {
    let example3 = "
        #define x 3
        #define f(a) f(x * (a))
        #undef x
        #define x 2
        #define g f
        #define z z[0]
        #define h g(~
        #define m(a) a(w)
        #define w 0,1
        #define t(a) a
        #define p() int
        #define q(x) x
        #define r(x,y) x ## y
        ";
    gives(
        &format!("{example3} f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);"),
        "f ( 2 * ( y + 1 ) ) + f ( 2 * ( f ( 2 * ( z [ 0 ] ) ) ) ) % f ( 2 * ( 0 ) ) + t ( 1 ) ;",
    );
    gives(
        &format!("{example3} g(x+(3,4)-w) | h 5) & m\n(f)^m(m);"),
        "f ( 2 * ( 2 + ( 3 , 4 ) - 0 , 1 ) ) | f ( 2 * ( ~ 5 ) ) & f ( 2 * ( 0 , 1 ) ) ^ m ( 0 , 1 ) ;",
    );
    gives(
        &format!("{example3} p() i[q()] = {{ q(1), r(2,3), r(4,), r(,5), r(,) }};"),
        "int i [ ] = { 1 , 23 , 4 , 5 , } ;",
    );
    gives(
        "#define t(x,y,z) x ## y ## z
        int j[] = { t(1,2,3), t(,4,5), t(6,,7), t(8,9,), t(10,,), t(,11,), t(,,12), t(,,) };",
        "int j [ ] = { 123 , 45 , 67 , 89 , 10 , 11 , 12 , } ;",
    );
}

/// ISO C 6.10.3.4.
#[test]
fn painted_names_stay() {
    gives("#define f(a) a*g\n#define g(a) f(a)\nf(2)(9)", "2 * 9 * g");
    gives("#define A A B\n#define B B A\nA", "A B A");
    gives("#define A(x) B(x)\n#define B(x) A(x)\nA(1)", "A ( 1 )");
    gives(
        "#define texture(s, p) texture(s, (p) * 2)\ntexture(a, texture(b, c))",
        "texture ( a , ( texture ( b , ( c ) * 2 ) ) * 2 )",
    );
    gives("#define F(x) x\nF(F)(1)", "F ( 1 )");
    gives("#define F(x) (x)\n#define G F\nG (1) G", "( 1 ) F");
    gives(
        "#define NIL(xxx) xxx\n#define G_0(arg) NIL(G_1)(arg)\n#define G_1(arg) NIL(arg)\nG_0(42)",
        "42",
    );
}

#[test]
fn arguments() {
    gives("#define F(a, b) a b\nF((1, 2), 3)", "( 1 , 2 ) 3");
    gives("#define F(a) <a>\nF() F( ) F(\n1\n)", "< > < > < 1 >");
    gives("#define F() 1\nF() F( )", "1 1");
    gives("#define F(a) a\nF F\n(1) F;", "F 1 F ;");
    gives("#define F (a) a\nF", "( a ) a");
    gives("#define F/**/(a) a\nF", "( a ) a");
    gives("#define F\\\n(a) a a\nF(2)", "2 2");
    gives("#define X Y\n#define Y 1\n#define F(a) a a ## Z X ## a\nF(X)", "1 XZ XX");
    gives("#define F(a) a\nF(\n#define B 3\nB\n#undef B\n) B", "B B");
    gives("#define F(a) a\nF(\n#if 1\n1\n#else\n2\n#endif\n)", "1");
    gives("#define F(a) a\nF\n#undef F\n(1)", "F ( 1 )");
    gives(
        "#define L length(\n#define A(x) (x*x)\nA(1) + L A(2))",
        "( 1 * 1 ) + length ( ( 2 * 2 ) )",
    );
    gives("#define E(x) x\n#define D(x) E(x) E(x)\nD(D(1))", "1 1 1 1");
}

#[test]
fn joined_tokens() {
    gives(
        "#define J(a, b) a##b\nJ(a, b) J(vec, 3) J(+, =) J(1, .5) J(<, <=) J(0x, ff) J(_, 1)",
        "ab vec3 += 1.5 <<= 255 _1",
    );
    gives("#define O a ## b\nO", "ab");
    gives("#define ab 7\n#define J(a, b) a##b\nJ(a, b)", "7");
    gives("#define J(a, b) a##b\n#define K(a, b) J(a, b)\n#define N 4\nJ(x, N) K(x, N)", "xN x4");
    gives("#define J(a) a##a a\nJ(b c)", "b cb c b c");
}

#[test]
fn positions() {
    let text = "#define F(x) (x + y)\n#define G F(2)\nz F(a) G F(G)";
    let (source, done) = run(text);
    assert_eq!(words(&done), "z ( a + y ) ( 2 + y ) ( ( 2 + y ) + y )");
    let marked: Vec<&str> = done.tokens.iter().map(|token| source.slice(token.span)).collect();
    let expected = [
        "z", "F(a)", "a", "F(a)", "F(a)", "F(a)", "G", "G", "G", "G", "G", "F(G)", "G", "G", "G",
        "G", "G", "F(G)", "F(G)", "F(G)", "",
    ];
    assert_eq!(marked, expected);
}
