// The looks of the page that a report is exported as: the roles' colours of the window in both themes, nothing loaded.
export const STYLE = `
:root{color-scheme:light dark;--page:#fff;--ink:#12151a;--lane:#f3f5f8;--line:#d9dee6;--request:#0b4a9e;--cancel:#8a6508;--late:#a81fbd;--breach:#9b0a14;--proof:#1f7a66;--unknown:#4d5159;--fault:#6a3fc4;--faint:#626c7a}
@media (prefers-color-scheme:dark){:root{--page:#12151a;--ink:#e8ecf2;--lane:#1a1f26;--line:#2c333d;--request:#4c96ff;--cancel:#ffae1a;--late:#d382b8;--breach:#ff5c77;--proof:#9fefc4;--unknown:#b4bccb;--fault:#ab8dff;--faint:#8c96a5}}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 Inter,system-ui,sans-serif;font-variant-numeric:tabular-nums}
main{max-width:1080px;margin:0 auto;padding:32px 20px 64px}
h1{font-size:22px;margin:0}h2{font-size:16px;margin:0 0 4px}p{margin:4px 0}
code,.timeline text{font-family:"JetBrains Mono",ui-monospace,monospace}code{font-size:13px}
.faint{color:var(--faint)}.summary{white-space:pre}
section{margin-top:28px;padding-top:16px;border-top:1px solid var(--line)}
.breach .sign,.breach .sentence{color:var(--breach)}.warn .sign{color:var(--cancel)}
.sentence{font-weight:600}table{border-collapse:collapse;margin:8px 0;width:100%}
th{text-align:left;font-weight:600;width:64px}th,td{padding:3px 12px 3px 0;vertical-align:top;overflow-wrap:anywhere}td:nth-child(2){width:210px}
ul,ol{margin:6px 0;padding-left:20px}.because{list-style:none;padding:0}.because b{display:inline-block;min-width:44px;color:var(--faint);font-weight:500}li{overflow-wrap:anywhere}
.card tr{border-top:1px solid var(--line)}.card th.sign{width:20px}.card .fail .sign{color:var(--breach)}.card .pass .sign{color:var(--proof)}.card td:nth-child(2){width:240px}
.timeline{width:100%;margin-top:20px;background:var(--lane);border-radius:8px}
.timeline text{font-size:11px;fill:var(--ink)}.timeline .faint{fill:var(--faint)}.timeline .name{font-weight:600}.timeline text.breach{fill:var(--breach)}.timeline .proof{fill:var(--proof)}.timeline .late-text{fill:var(--late)}
.line{fill:none;stroke-width:1.5}.grid{stroke:var(--line);stroke-width:1}.waiting{fill:var(--request);opacity:.35}.edge{fill:var(--request)}
.given-up{fill:none;stroke:var(--request);stroke-dasharray:3 3}.unknown{fill:url(#hatch)}
.cancel{stroke:var(--cancel)}.untold{stroke-dasharray:2 3}.cancel-fill{fill:var(--cancel)}.cancel-line{fill:none;stroke:var(--cancel);stroke-width:1.5}
.late{stroke:var(--late)}.thread{stroke-dasharray:3 3}.late-line{fill:var(--lane);stroke:var(--late);stroke-width:1.5}
.fault{fill:var(--fault)}
.state{fill:var(--lane);stroke:var(--request);stroke-width:1.5}
.interval{stroke:var(--unknown);stroke-width:2}.effect{fill:var(--lane);stroke:var(--ink);stroke-width:1.5}.effect.after{fill:var(--breach);stroke:var(--breach)}.effect.straddles{fill:var(--unknown);stroke:var(--unknown)}.effect.reverted{opacity:.5}.on-breach{fill:none;stroke:#fff;stroke-width:1.5}
`.trim();
