//! The pages written by `lambdav test --report` and `lambdav trace --html`, in a real browser: headless Chromium, driven by ChromeDriver
//! over the WebDriver protocol (<https://www.w3.org/TR/webdriver2/>).

use super::harness::TestFolder;
use lambdav_test_support::skipped;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A browser with one page.
struct Browser {
    driver: Child,
    session: String,
    _profile: TestFolder,
}

/// Keys in the protocol's encoding.
const DOWN: &str = "\u{e015}";
const UP: &str = "\u{e013}";
const RIGHT: &str = "\u{e014}";
const ESCAPE: &str = "\u{e00c}";
const ENTER: &str = "\u{e007}";
const LEFT: &str = "\u{e012}";
const TAB: &str = "\u{e004}";

impl Browser {
    /// Starts a browser; `None` if none is installed.
    fn start() -> Option<Self> {
        let mut command = Command::new("chromedriver");
        command.arg("--port=0").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut driver = command.spawn().ok()?;
        // ChromeDriver prints its port.
        let mut lines = BufReader::new(driver.stdout.take().expect("it is a pipe")).lines();
        let port = lines.find_map(|line| {
            let line = line.expect("it is text");
            let (_, port) = line.split_once("successfully on port ")?;
            Some(port.trim_end_matches('.').to_owned())
        });
        // Further output must not block ChromeDriver.
        std::thread::spawn(move || lines.for_each(drop));
        let port = port.expect("it tells its port");
        let profile = TestFolder::new();
        let folder = profile.path("").to_string_lossy().into_owned();
        let arguments = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--window-size=1280,900",
            &format!("--user-data-dir={folder}"),
        ];
        let wanted = json!({"capabilities": {"alwaysMatch": {
            "browserName": "chrome",
            "goog:chromeOptions": {"args": arguments},
            "goog:loggingPrefs": {"browser": "ALL"},
        }}});
        let url = format!("http://127.0.0.1:{port}/session");
        let id = post(&url, &wanted)["sessionId"].as_str().expect("it has one").to_owned();
        Some(Self { driver, session: format!("{url}/{id}"), _profile: profile })
    }

    fn open(&self, url: &str) {
        post(&format!("{}/url", self.session), &json!({"url": url}));
    }

    /// The result of a JavaScript function with this body.
    #[track_caller]
    fn ask(&self, body: &str) -> Value {
        post(&format!("{}/execute/sync", self.session), &json!({"script": body, "args": []}))
    }

    /// The text of the first element that matches the selector.
    #[track_caller]
    fn text(&self, selector: &str) -> String {
        let text = self.ask(&format!("return document.querySelector({selector:?}).textContent"));
        text.as_str().expect("it is text").to_owned()
    }

    /// Waits for a condition, since pictures take time to load.
    #[track_caller]
    fn wait(&self, condition: &str) {
        let begun = Instant::now();
        while self.ask(&format!("return {condition}")) != json!(true) {
            assert!(begun.elapsed() < Duration::from_secs(60), "{condition}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Presses keys in the focused element.
    fn press(&self, keys: &str) {
        let strokes: Vec<Value> = keys
            .chars()
            .flat_map(|key| ["keyDown", "keyUp"].map(|kind| json!({"type": kind, "value": key})))
            .collect();
        let keyboard = json!({"type": "key", "id": "keyboard", "actions": strokes});
        post(&format!("{}/actions", self.session), &json!({"actions": [keyboard]}));
    }

    /// Emulates a screen of this width. Desktop windows have a larger minimum width.
    fn narrow(&self, width: u32) {
        let metrics =
            json!({"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": false});
        let command = json!({"cmd": "Emulation.setDeviceMetricsOverride", "params": metrics});
        post(&format!("{}/goog/cdp/execute", self.session), &command);
    }

    /// The warnings and errors on the page's console.
    fn complaints(&self) -> Value {
        post(&format!("{}/se/log", self.session), &json!({"type": "browser"}))
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = ureq::delete(&self.session).call();
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// The value in the answer to a command of the protocol.
#[track_caller]
fn post(url: &str, body: &Value) -> Value {
    let agent: ureq::Agent =
        ureq::Agent::config_builder().http_status_as_error(false).build().into();
    let mut answer = agent.post(url).send_json(body).expect("the driver answers");
    let mut object: Value = answer.body_mut().read_json().expect("it is JSON");
    let value = object["value"].take();
    assert!(value["error"].is_null(), "{url}: {value}");
    value
}

/// A browser; skips the test with a message if there is none.
macro_rules! browser {
    () => {
        match Browser::start() {
            Some(browser) => browser,
            None => {
                skipped("chromedriver is not installed; .ci/install-tools installs it");
                return;
            }
        }
    };
}

/// Creates a folder with passing, failing and broken tests, and the URL of their report.
fn report(place: &TestFolder) -> String {
    place.write("a.lv", "; test: --size 20x10\n(vec4 (/ (.x (frag-coord)) 20))");
    place.write("b.lv", "; test: --size 20x10 --format npy\n(vec4 (/ (.x (frag-coord)) 20))");
    place.write("c.lv", "; test: --size 4x4\n(vec4 1)");
    place.write("d<i>&.lv", "; test: --size 4x4\n(vec4 oops)");
    place.run(&["test", "--bless"]);
    let spot = "(if (and (= (.x (frag-coord)) 7.5) (= (.y (frag-coord)) 2.5)) 0.5 (/ (.x (frag-coord)) 20))";
    place.write("a.lv", format!("; test: --size 20x10\n(vec4 {spot})"));
    place.write("b.lv", "; test: --size 20x10 --format npy\n(vec4 (/ (.x (frag-coord)) 19.99999))");
    place.run(&["test", "--report", "report"]);
    format!("file://{}", place.path("report/index.html").display())
}

#[test]
fn a_failure_is_understood_from_the_page() {
    let browser = browser!();
    let place = TestFolder::new();
    browser.open(&report(&place));
    assert_eq!(browser.text("#counts"), "4 tests: 2 failed, 1 passed, 1 broken");
    let listed = "return [...document.querySelectorAll('#list li')].map(item => item.lastChild.lastChild.textContent)";
    assert_eq!(browser.ask(listed), json!(["a.lv", "b.lv", "d<i>&.lv"]));
    // The first failed test is shown, with its pictures and the samples of the first different pixel.
    assert_eq!(browser.text("main h2"), "a.lv failed");
    browser.wait("[...document.images].length === 3 && [...document.images].every(i => i.naturalWidth === 20)");
    assert!(browser.text("main pre").starts_with("different: 1 of 200 pixels, by up to 32 levels"));
    let row = "return [...document.querySelectorAll('#pixel tbody tr')[0].children].map(c => c.textContent)";
    assert_eq!(browser.ask(row), json!(["R", "96", "0x60", "128", "0x80", "32 levels"]));
    assert!(browser.text("main").contains("pixel (7, 2), the first that differs"));
    let sweep =
        "return [...document.querySelectorAll('#sweep tbody tr')].map(r => r.textContent).join()";
    assert_eq!(browser.ask(sweep), "01,11,21,41,81,161,320,640,1280");

    // With the keyboard alone: another view, and a threshold.
    browser.press("3");
    browser.wait("document.getElementById('beyond').textContent.startsWith('1 pixels differ by more than 0')");
    browser.ask("document.getElementById('threshold').focus()");
    browser.press(&RIGHT.repeat(32));
    browser.wait("document.getElementById('beyond').textContent.startsWith('0 pixels differ by more than 32')");
    browser.ask("document.getElementById('list').focus()");
    browser.press("2");
    browser.ask("document.getElementById('slider').focus()");
    browser.press(RIGHT);
    browser.wait("document.querySelectorAll('.over img')[1].style.clipPath.includes('51%')");

    // The next test has float pictures.
    browser.ask("document.getElementById('list').focus()");
    browser.press("1");
    browser.press(DOWN);
    assert_eq!(browser.text("main h2"), "b.lv failed");
    let row = browser.ask(row);
    let cells: Vec<&str> =
        row.as_array().expect("cells").iter().filter_map(Value::as_str).collect();
    let [_, expected, expected_hex, found, found_hex, apart] = cells[..] else {
        panic!("{cells:?}")
    };
    for (decimal, hex) in [(expected, expected_hex), (found, found_hex)] {
        let value: f32 = decimal.parse().expect("a number");
        assert_eq!(format!("0x{:08x}", value.to_bits()), hex);
    }
    let [a, b] = [expected, found].map(|text| text.parse::<f32>().expect("a number").to_bits());
    assert_eq!(apart, format!("{} ULP", a.abs_diff(b)));

    // A name that looks like markup; a filter; passed tests.
    browser.press(DOWN);
    assert_eq!(browser.text("main h2"), "d<i>&.lv broken");
    assert_eq!(browser.ask("return document.querySelectorAll('main i, #list i').length"), 0);
    browser.press("/");
    browser.press("b.");
    assert_eq!(browser.ask(listed), json!(["b.lv"]));
    browser.press(ESCAPE);
    browser.ask("document.getElementById('passed').click()");
    browser.ask("const f = document.getElementById('filter'); f.value = 'passed'; f.dispatchEvent(new Event('input'))");
    assert_eq!(browser.ask(listed), json!(["c.lv"]));
    assert_eq!(browser.complaints(), json!([]));
}

/// Each test has its own link, pictures flicker, and the page fits a small screen.
#[test]
fn links_flickering_and_small_screens() {
    let browser = browser!();
    let place = TestFolder::new();
    let text = |width: u32, divisor: u32| {
        format!("; test: --size {width}x200\n(vec4 (/ (.xy (frag-coord)) {divisor}) 0 1)")
    };
    let long = "b-rather-long-name-of-a-shader-that-no-narrow-page-has-room-for";
    for (name, width) in [("a".to_owned(), 20), (format!("{long} <b>"), 1600), ("c".to_owned(), 30)]
    {
        place.write(&format!("{name}.lv"), text(width, width));
    }
    place.run(&["test", "--bless"]);
    place.write("a.lv", text(20, 21));
    place.write(&format!("{long} <b>.lv"), text(1600, 1500));
    place.run(&["test", "--report", "report"]);
    let page = format!("file://{}", place.path("report/index.html").display());
    browser.open(&page);
    let links = "return [...document.querySelectorAll('#list a')].map(a => a.getAttribute('href'))";
    let links = browser.ask(links);
    let links: Vec<&str> =
        links.as_array().expect("links").iter().filter_map(Value::as_str).collect();
    assert_eq!(links, ["#a.lv", &format!("#{long}%20%3Cb%3E.lv")]);
    // The second test, and a passed test, which the list normally hides.
    browser.open("about:blank");
    browser.open(&format!("{page}{}", links[1]));
    assert_eq!(browser.text("main h2"), format!("{long} <b>.lv failed"));
    browser.ask("location.hash = '#c.lv'");
    browser.wait("document.querySelector('main h2').textContent === 'c.lv passed'");
    browser.ask("document.querySelector('#list a').click()");
    browser.wait("document.querySelector('main h2').textContent === 'a.lv failed'");
    assert_eq!(browser.ask("return location.hash"), "#a.lv");

    // One picture in place of the other, timed and by hand.
    browser.ask("document.getElementById('list').focus()");
    browser.press("4");
    browser.wait("document.querySelectorAll('.over img').length === 2");
    for shown in ["expected", "found", "expected"] {
        browser.wait(&format!("document.getElementById('shown').textContent === '{shown}'"));
        let visible =
            "return getComputedStyle(document.querySelectorAll('.over img')[1]).visibility";
        assert!(browser.ask(visible).is_string());
    }
    browser.press(" ");
    let state = "return [document.getElementById('shown').textContent, document.getElementById('alone').checked]";
    let before = browser.ask(state);
    assert_eq!(before[1], false);
    std::thread::sleep(Duration::from_millis(1200));
    assert_eq!(browser.ask(state), before);
    browser.press(" ");
    assert_ne!(browser.ask(state)[0], before[0]);

    // On a narrow screen, the page needs no horizontal scrolling.
    browser.open("about:blank");
    browser.narrow(400);
    browser.open(&format!("{page}{}", links[1]));
    assert_eq!(browser.ask("return innerWidth"), 400);
    let fits = "document.documentElement.scrollWidth <= innerWidth";
    for view in ["1", "2", "3", "4"] {
        browser.ask("document.getElementById('list').focus()");
        browser.press(view);
        browser.wait("[...document.images].every(i => i.naturalWidth === 1600 && i.style.width)");
        browser.wait(fits);
        let widest =
            "return Math.max(...[...document.images].map(i => i.getBoundingClientRect().right))";
        let widest = browser.ask(widest).as_f64().expect("a number");
        assert!(widest <= 400.0, "{view}: {widest}");
    }
    assert_eq!(browser.complaints(), json!([]));
}

/// The page loads no other files, and shows even a thousand failures.
#[test]
fn a_thousand_failures() {
    let browser = browser!();
    let place = TestFolder::new();
    for index in 0..1000 {
        place.write(&format!("t{index:03}.lv"), "; test: --size 64x64\n(/ (frag-coord) 64)");
    }
    place.run(&["test", "--bless"]);
    for index in 0..1000 {
        let text = format!("; test: --size 64x64\n(fract (/ (frag-coord) (+ 64 {index})))");
        place.write(&format!("t{index:03}.lv"), text);
    }
    place.run(&["test", "--report", "report"]);
    browser.open(&format!("file://{}", place.path("report/index.html").display()));
    assert_eq!(browser.text("#counts"), "1000 tests: 1 passed, 999 failed");
    assert_eq!(browser.ask("return document.querySelectorAll('#list li').length"), 999);
    browser.press("\u{e010}");
    assert_eq!(browser.text("main h2"), "t999.lv failed");
    browser.wait("[...document.images].length === 3 && [...document.images].every(i => i.naturalWidth === 64)");
    let fetched = "return performance.getEntriesByType('resource').filter(e => !e.name.startsWith('data:')).length";
    assert_eq!(browser.ask(fetched), 0);
    assert_eq!(browser.complaints(), json!([]));
    let times = browser.ask("return performance.getEntriesByType('navigation')[0].loadEventEnd");
    println!("loaded in {times} ms");
}

/// A trace, from its page: values beside lines, rounds by the keyboard, and calls.
#[test]
fn a_trace_is_read_from_its_page() {
    let browser = browser!();
    let place = TestFolder::new();
    let text = "(define (twice x)\n  (* 2 x))\n(define (count n)\n  ((rec-func (i s)\n     \
                (if (>= i n)\n       (the num s)\n       (rec (+ i 1) (twice (+ s i)))))\n   0 0))\n\
                (define nothing (/ 0 (.x (- (frag-coord) (frag-coord)))))\n\
                (vec3 (count 4) nothing \"<i>\")";
    let text = text.replace(" \"<i>\")", " 1) ; <i>");
    place.write("a.lv", text);
    place.run_line("trace a.lv 1 2 --size 4x4 --html trace.html").done();
    browser.open(&format!("file://{}", place.path("trace.html").display()));
    assert!(browser.text("#title").starts_with("a.lv: pixel (1, 2) of 4x4, output 0"));
    let line = |number: u32| browser.text(&format!("[data-line='{number}'] .values"));
    // A NaN is marked, and markup of the text is text.
    assert_eq!(line(9), "nothing = NaN [0x7fc00000]");
    assert_eq!(browser.text("main .special"), "NaN");
    assert_eq!(browser.ask("return document.querySelectorAll('main i').length"), 0);
    // Into the call that has the loop.
    browser.ask("document.querySelector(\"[data-line='10'] button\").focus()");
    browser.press(ENTER);
    browser.wait("document.querySelectorAll('#scopes button').length === 2");
    assert!(browser.text("#scopes").contains("count at a.lv:10:7"));
    assert_eq!(browser.text("#loops output"), "deciding round 5 of 5");
    assert!(line(5).contains("(>= i n): true → line 6"), "{}", line(5));
    // Rounds by the arrow keys, without and with the focus on the slider.
    browser.press(LEFT);
    browser.wait("document.querySelector('#loops output').textContent === 'round 4 of 5'");
    assert!(line(5).contains("(>= i n): false → line 7"), "{}", line(5));
    assert_eq!(browser.ask("return document.activeElement.type"), "range");
    browser.press(&LEFT.repeat(3));
    browser.wait("document.querySelector('#loops output').textContent === 'round 1 of 5'");
    browser.press(LEFT);
    assert_eq!(browser.text("#loops output"), "round 1 of 5");
    browser.press(RIGHT);
    browser.wait("document.querySelector('#loops output').textContent === 'round 2 of 5'");
    // Into a call of that round, by Tab and Enter, and out again.
    browser.press(TAB);
    browser.press(ENTER);
    browser.wait("document.querySelectorAll('#scopes button').length === 3");
    assert!(
        browser.text("#scopes").contains("x = 1.0 [0x3f800000]"),
        "{}",
        browser.text("#scopes")
    );
    browser.press(ESCAPE);
    browser.wait("document.querySelectorAll('#scopes button').length === 2");
    assert_eq!(browser.text("#loops output"), "round 2 of 5");
    browser.press(ESCAPE);
    browser.wait("document.querySelectorAll('#scopes button').length === 1");
    // Lines with values by j, k and the arrows.
    let current = "return document.querySelector('.row[aria-current]')?.dataset.line";
    for (key, line) in [("j", "9"), (DOWN, "10"), ("j", "10"), ("k", "9"), (UP, "9")] {
        browser.press(key);
        assert_eq!(browser.ask(current), line, "{key:?}");
    }
    // Another pixel in the picture, by keys and by a click: near ones have their traces.
    browser.wait("!document.getElementById('picture').hidden");
    assert_eq!(
        browser.text("#chosen"),
        "pixel (1, 2) is (255, 0, 255, 255) of 255; its trace is shown"
    );
    browser.press("p");
    browser.press(RIGHT);
    assert!(browser.text("#title").starts_with("a.lv: pixel (2, 2) of 4x4, output 0"));
    assert_eq!(browser.ask("return document.getElementById('command').hidden"), true);
    browser.press(RIGHT);
    assert!(browser.text("#chosen").starts_with("pixel (3, 2) is "));
    let command = "return document.querySelector('#command input').value";
    assert_eq!(browser.ask(command), "lambdav trace a.lv --size 4x4 --html trace.html 3 2");
    browser.press(RIGHT);
    assert!(browser.text("#chosen").starts_with("pixel (3, 2) is "));
    let click = "const canvas = document.getElementById('canvas'), box = canvas.getBoundingClientRect();
        canvas.dispatchEvent(new MouseEvent('click', { clientX: box.left + box.width * 0.3, clientY: box.top + box.height * 0.9 }))";
    browser.ask(click);
    assert!(browser.text("#title").starts_with("a.lv: pixel (1, 3) of 4x4, output 0"));
    // Everything that is chosen has a name for screen readers.
    let unnamed = "return [...document.querySelectorAll('button, input, canvas')].filter(e =>
        !e.getAttribute('aria-label') && !e.textContent && !e.closest('label')?.textContent).length";
    assert_eq!(browser.ask(unnamed), 0);
    let fetched = "return performance.getEntriesByType('resource').filter(e => !e.name.startsWith('data:')).length";
    assert_eq!(browser.ask(fetched), 0);
    assert_eq!(browser.complaints(), json!([]));
    // On a narrow screen, the page needs no horizontal scrolling.
    browser.narrow(400);
    browser.wait("document.documentElement.scrollWidth <= innerWidth");
}

/// Values that did not make the output are pale, and the report of a failed test has its trace.
#[test]
#[cfg(feature = "foreign")]
fn pale_values_and_traces_of_failed_tests() {
    let browser = browser!();
    let place = TestFolder::new();
    let text = "#version 450\nlayout(location = 0) out vec4 o;\nvoid main() {\n    float lost = 3.0 * gl_FragCoord.y;\n    \
                float kept = gl_FragCoord.x;\n    o = vec4(kept);\n}\n";
    place.write("a.frag", format!("// test: --size 4x4\n{text}"));
    place.run_line("trace a.frag 1 1 --size 4x4 --html trace.html").done();
    browser.open(&format!("file://{}", place.path("trace.html").display()));
    assert!(browser.text(".needless").starts_with("lost = 4.5 "), "{}", browser.text("main"));
    assert_eq!(browser.ask("return document.querySelectorAll('.needless').length"), 1);
    place.run(&["test", "--bless"]);
    place.write(
        "a.frag",
        format!("// test: --size 4x4\n{}", text.replace("vec4(kept)", "vec4(kept - 1.0)")),
    );
    place.run(&["test", "--report", "report"]);
    browser.open(&format!("file://{}", place.path("report/index.html").display()));
    let trace = browser.text("main details.trace pre");
    assert!(trace.starts_with("a.frag: pixel (0, 0) of 4x4\n"), "{trace}");
    assert!(trace.contains("kept = 0.5 ") && !trace.contains("lost"), "{trace}");
    assert_eq!(browser.complaints(), json!([]));
}
