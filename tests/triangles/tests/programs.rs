//! Generated programs that draw triangles, by every engine: a sample of `lambdav-triangles --programs`.

use lambdav_triangles::programs::Program;

#[test]
fn engines_agree_on_generated_programs() {
    let (mut programs, mut pictures) = (0, 0);
    for seed in 1 << 33..(1 << 33) + 250 {
        let Some(program) = Program::random(seed) else { continue };
        programs += 1;
        pictures += program.check().unwrap_or_else(|found| panic!("{found}\n{}", program.text()));
    }
    assert!(programs > 150 && pictures > 4 * programs, "{programs} programs, {pictures} pictures");
}

/// A second derivative along the same axis: the value of one side of the quad is the same at both.
#[test]
fn second_derivatives_of_varyings_are_zero() {
    let program = Program::random(1 << 33).expect("it is accepted");
    let text = "(attribute corner vec4) (position corner) (varying w (.xy corner))
        (output 0 (dfdx (* (dfdx (.x w)) (at w (uint (.x (frag-coord)))))))
        (output 1 (dfdx (dfdx (* (.x w) (.y w)))))
        (output 2 (dfdy (dfdx (* (.x w) (.y w)))))";
    let program = program.with_text(text.to_owned()).expect("it is accepted");
    assert_eq!(program.check().map(|_| ()), Ok(()));
}
