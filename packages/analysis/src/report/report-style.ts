import { paletteCss } from "../plots/palette.ts";
import { figureCss } from "../plots/svg-figure.ts";
import { tokenStripCss } from "../plots/token-strip.ts";

const sans = "system-ui,-apple-system,Segoe UI,Roboto,Noto Sans,sans-serif";
const serif = "Charter,Bitstream Charter,Sitka Text,Cambria,Georgia,Noto Serif,serif";

/** The whole stylesheet of a report: system fonts, light and dark by the reader's system, black on white on paper. */
export const reportCss = `${paletteCss(":root")}
*{box-sizing:border-box}
html{overflow-x:clip;background:var(--rs-surface);color:var(--rs-ink);-webkit-text-size-adjust:100%}
body{margin:0 auto;max-width:1020px;padding:48px 28px 80px;font:17px/1.55 ${serif}}
h1{font-size:34px;line-height:1.15;letter-spacing:-.01em;font-weight:600;margin:6px 0 10px;overflow-wrap:anywhere;text-wrap:balance}
h2{font-size:23px;line-height:1.25;font-weight:600;margin:0 0 10px;overflow-wrap:anywhere}
h3{font:600 14px/1.4 ${sans};margin:22px 0 6px;overflow-wrap:anywhere}
p{margin:0 0 12px;overflow-wrap:anywhere}
a{color:inherit}
.kicker,.meta{font:13px/1.5 ${sans};color:var(--rs-muted);margin:0;overflow-wrap:anywhere}
.lede{font-size:19px;line-height:1.55;max-width:44em;margin:20px 0 28px}
.verdicts{display:grid;grid-template-columns:repeat(4,minmax(0,1fr));gap:28px 22px;margin:0 0 26px;padding:0;list-style:none;font-family:${sans}}
.verdicts li{border-top:3px solid var(--rs-ink);padding-top:9px;font-size:13px;line-height:1.45}
.verdicts b{display:block;overflow-wrap:anywhere;font-size:14px;line-height:1.35;min-height:2.7em}
.verdicts .number{display:block;font-size:35px;line-height:1.1;font-weight:600;letter-spacing:-.02em;font-variant-numeric:tabular-nums;margin:8px 0 2px}
.verdicts p{margin:0 0 5px;font-size:13px;line-height:1.45}
.badge{display:inline-block;font:600 12px/1.5 ${sans};border:1.5px solid;border-radius:99px;padding:0 9px;margin-bottom:4px}
.shown{color:var(--rs-green)}.in-part,.explained{color:var(--rs-purple)}.not-shown{color:var(--rs-orange)}.not-measured,.description,.quiet{color:var(--rs-muted)}
nav{font:14px/1.5 ${sans};border-block:1px solid var(--rs-grid);padding:10px 0;margin-bottom:8px}
nav a{margin-right:20px;text-decoration-color:var(--rs-control);text-underline-offset:3px;white-space:nowrap}
nav #find{display:inline-flex;flex-wrap:wrap;gap:4px 10px;align-items:baseline;margin-top:6px}
nav #find[hidden]{display:none}
input{font:inherit;color:inherit;background:var(--rs-surface);border:1px solid var(--rs-control);border-radius:4px;padding:3px 8px;width:15em;max-width:100%}
output{color:var(--rs-muted);font-variant-numeric:tabular-nums}
thead button{all:unset;cursor:pointer;display:inline-block;border-radius:2px}
thead button:hover{text-decoration:underline;text-underline-offset:3px}
thead button:focus-visible{outline:2px solid var(--rs-blue);outline-offset:2px}
th[aria-sort] button::after{content:" ▲" / "";font-size:.8em}
th[aria-sort=descending] button::after{content:" ▼" / ""}
.no-match thead{display:none}
.no-match caption span::after{content:" No row here has it."}
.unseen{position:absolute;width:1px;height:1px;margin:0;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
section{padding-top:40px;scroll-margin-top:0}
h4{font:600 13px/1.4 ${sans};color:var(--rs-muted);margin:14px 0 4px}
.sides{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,420px),1fr));gap:4px 28px}
.sides>div{min-width:0}
.sides figure svg{min-width:0}
.prose p{font:15px/1.55 ${sans};max-width:44em}
.findings{list-style:none;padding:0;margin:0 0 14px;font:14px/1.55 ${sans};max-width:56em;overflow-wrap:anywhere}
.findings li{margin:0 0 7px}
.findings .badge{margin-right:5px}
code{font:.92em ui-monospace,SFMono-Regular,Menlo,Consolas,DejaVu Sans Mono,monospace}
.hash{font:11px/1.4 ui-monospace,SFMono-Regular,Menlo,Consolas,DejaVu Sans Mono,monospace;overflow-wrap:anywhere;min-width:16em}
.beside{display:grid;grid-template-columns:minmax(0,640px) minmax(0,1fr);gap:12px 36px;align-items:start}
.beside>aside{font:14px/1.55 ${sans};color:var(--rs-muted)}
aside b{color:var(--rs-ink);font-weight:600}
aside p{margin:0 0 9px}
figure{margin:14px 0 6px}
figure .scroll{margin:0}
figcaption,.note{overflow-wrap:anywhere;font:13px/1.5 ${sans};color:var(--rs-muted);max-width:640px;margin-top:6px}
figure svg{display:block;min-width:520px}
.scroll{overflow-x:auto;margin:16px 0 6px}
table{border-collapse:collapse;font:14px/1.35 ${sans};font-variant-numeric:tabular-nums;width:100%}
caption{overflow-wrap:anywhere;text-align:left;font-size:13px;line-height:1.5;color:var(--rs-muted);padding-bottom:8px}
caption span{display:inline-block;position:sticky;left:0;max-width:calc(100vw - 32px)}
caption b{color:var(--rs-ink)}
th,td{text-align:right;vertical-align:top;padding:6px 0 6px 18px;font-weight:400}
th:first-child{padding-left:8px;text-align:left}
td:last-child,thead th:last-child{padding-right:8px}
thead th{font-weight:600;vertical-align:bottom;border-bottom:1.5px solid var(--rs-ink);line-height:1.3}
tbody th{font-weight:600;min-width:9em}
tbody th.short{white-space:nowrap;min-width:0}
tbody tr{border-bottom:1px solid var(--rs-grid)}
td small,th small{display:block;font-size:11.5px;font-weight:400;color:var(--rs-muted);white-space:nowrap}
thead th small,.none small,tbody th small{white-space:normal}
tbody th small{max-width:15em}
thead th{overflow-wrap:anywhere;min-width:6.2em}
.facts .wide{grid-column:1/-1;max-width:56em}
th.words,td.words{text-align:left}
td.words{overflow-wrap:anywhere;min-width:11em}
td .badge{white-space:nowrap}
td.words small{white-space:normal;overflow-wrap:anywhere}
tbody th{overflow-wrap:anywhere}
.marked{background:color-mix(in srgb,var(--rs-blue) 9%,transparent)}
.none{color:var(--rs-muted);font-size:12px}
.facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(215px,1fr));gap:12px 26px;margin:10px 0;font:14px/1.45 ${sans}}
.facts dt,.terms dt{color:var(--rs-muted);font-size:12.5px}
.facts dd{margin:0;overflow-wrap:anywhere;font-variant-numeric:tabular-nums}
.terms{columns:2 300px;column-gap:40px;font:14px/1.5 ${sans}}
.terms div{break-inside:avoid;margin-bottom:12px}
.terms dt{color:var(--rs-ink);font-size:14px;font-weight:600}
.terms dd{margin:0;color:var(--rs-muted)}
.sum{font:600 21px/1.45 ${sans};font-variant-numeric:tabular-nums;margin:12px 0;overflow-wrap:anywhere}
.sum small{font-size:13px;font-weight:400;color:var(--rs-muted)}
pre{font:13px/1.55 ui-monospace,SFMono-Regular,Menlo,Consolas,DejaVu Sans Mono,monospace;background:color-mix(in srgb,var(--rs-grid) 45%,transparent);padding:12px 14px;border-radius:4px;white-space:pre-wrap;overflow-wrap:anywhere;margin:6px 0 14px}
ul.notes{font:14px/1.5 ${sans};padding-left:18px;color:var(--rs-muted);overflow-wrap:anywhere}
ul.plain{list-style:none;padding:0}
:focus-visible{outline:2px solid var(--rs-blue);outline-offset:2px}
@media (max-width:860px){.verdicts{grid-template-columns:repeat(2,minmax(0,1fr))}}
@media (max-width:460px){.verdicts{grid-template-columns:minmax(0,1fr)}body{padding:28px 16px 60px}h1{font-size:28px}}
@media (max-width:980px){.beside{grid-template-columns:minmax(0,1fr)}.beside>aside{max-width:640px}}
@media print{html{background:none}body{max-width:none;padding:0;font-size:11pt}nav{display:none}thead button::after{content:none}section{padding-top:22px}figure,tr,pre,.verdicts li,.text{break-inside:avoid}h2,h3{break-after:avoid}.beside{grid-template-columns:minmax(0,1fr)}.scroll{overflow:visible}caption span{position:static;max-width:none}*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
${figureCss}
${tokenStripCss}`;
