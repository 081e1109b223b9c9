import { figureCss, paletteCss, tokenStripCss } from "@residua/analysis/plots";

const sans = "system-ui,-apple-system,Segoe UI,Roboto,Noto Sans,sans-serif";
const mono = "ui-monospace,SFMono-Regular,Menlo,Consolas,DejaVu Sans Mono,monospace";

/** The page's whole stylesheet: system fonts, light and dark by the reader's system. */
export const explorerCss = `${paletteCss(":root")}
*{box-sizing:border-box}
html{background:var(--rs-surface);color:var(--rs-ink);-webkit-text-size-adjust:100%}
body{margin:0 auto;max-width:1120px;padding:22px 28px 80px;font:15px/1.5 ${sans}}
h1{font-size:26px;line-height:1.2;font-weight:600;letter-spacing:-.01em;margin:26px 0 4px;overflow-wrap:anywhere}
h2{font-size:18px;line-height:1.3;font-weight:600;margin:22px 0 8px;overflow-wrap:anywhere}
h2 small{font-weight:400;font-size:14px;color:var(--rs-muted)}
p{margin:0 0 10px;overflow-wrap:anywhere}
a{color:var(--rs-blue);text-underline-offset:3px}
header{display:flex;flex-wrap:wrap;gap:6px 26px;align-items:baseline;border-bottom:1px solid var(--rs-grid);padding-bottom:10px}
.name{font-weight:600;margin:0}
header nav a{color:inherit;margin-right:16px;text-decoration:none;padding:4px 0}
header nav a:hover{text-decoration:underline}
header nav [aria-current]{font-weight:600;border-bottom:2px solid var(--rs-blue)}
.facts{display:flex;flex-wrap:wrap;gap:2px 18px;margin:0 0 0 auto;font-size:13px;color:var(--rs-muted)}
.facts div{display:flex;gap:5px}
.facts dd{margin:0;color:var(--rs-ink);overflow-wrap:anywhere}
.lede{color:var(--rs-muted);max-width:46em;margin-bottom:16px}
form{display:flex;flex-wrap:wrap;gap:12px 16px;align-items:end}
label{display:flex;flex-direction:column;gap:3px;font-size:13px;color:var(--rs-muted)}
label[hidden]{display:none}
label.wide{flex:1 1 300px;max-width:100%}
label.wide select{width:100%}
.whole{flex:1 1 100%}
input,select,textarea,button{font:inherit;color:var(--rs-ink);background:var(--rs-surface);border:1px solid var(--rs-control);border-radius:5px;padding:6px 8px;min-width:0}
input,select,button{min-height:36px}
select{max-width:100%}
input[type=number]{width:8.5em}
input[type=range]{padding:0;margin:0;height:36px;border:0;background:none;accent-color:var(--rs-blue);width:100%}
textarea{font:14px/1.5 ${mono};resize:vertical;width:100%}
textarea[hidden]{display:none}
.scale{display:flex;flex-wrap:wrap;gap:12px 16px;align-items:end}
.slider{flex:1 1 320px;display:none}
.js .slider{display:flex}
.buttons{margin:0;display:flex;gap:10px;flex-wrap:wrap}
button{background:var(--rs-ink);color:var(--rs-surface);border-color:var(--rs-ink);padding:6px 14px;cursor:pointer;font-weight:600}
button.other{background:none;color:var(--rs-ink);border-color:var(--rs-control);font-weight:400}
:focus-visible{outline:2px solid var(--rs-blue);outline-offset:2px}
#status{min-height:1.5em;margin:12px 0 0;font-size:13px;color:var(--rs-muted)}
#result[aria-busy=true]{opacity:.55}
#result h2:first-child{margin-top:6px}
.note{font-size:13px;color:var(--rs-muted);max-width:64em;margin:8px 0}
.beside{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:0 26px}
article h2{margin-top:6px}
input[name=value]{width:10em}
pre.text{font:15px/1.6 ${sans};white-space:pre-wrap;overflow-wrap:anywhere;margin:0 0 10px;padding:12px 14px;border:1px solid var(--rs-grid);border-radius:5px;min-height:5em;unicode-bidi:plaintext}
.prompt{color:var(--rs-muted)}
mark{background:color-mix(in srgb,var(--rs-blue) 20%,transparent);color:inherit;border-bottom:2px solid var(--rs-blue)}
.hints{list-style:none;margin:14px 0 6px;padding:0}
.hints li{margin:0 0 6px;padding:6px 10px;border-left:4px solid var(--rs-control)}
.hints .damage{border-color:var(--rs-orange)}
.hints .damage b{color:var(--rs-orange)}
.problem{border-left:4px solid var(--rs-orange);padding:2px 0 2px 16px;margin:14px 0}
.problem h2{margin-top:0}
.problem p{white-space:pre-wrap}
details{margin:16px 0}
summary{cursor:pointer;width:max-content;max-width:100%}
.unread{font-size:13px;color:var(--rs-muted);margin-top:40px}
.unread li{overflow-wrap:anywhere}
.scroll{overflow-x:auto;margin:10px 0}
table{border-collapse:collapse;font-size:14px;line-height:1.35;font-variant-numeric:tabular-nums}
th,td{text-align:right;padding:5px 7px 5px 13px;font-weight:400;vertical-align:top}
th:first-child{padding-left:6px}
thead th{font-weight:600;border-bottom:1.5px solid var(--rs-ink);vertical-align:bottom;white-space:nowrap}
tbody tr{border-bottom:1px solid var(--rs-grid)}
.words{text-align:left;overflow-wrap:break-word;max-width:30em}
.chosen{background:color-mix(in srgb,var(--rs-blue) 10%,transparent)}
.score{white-space:nowrap}
.score.above span{color:var(--rs-blue)}
.score.under span{color:var(--rs-orange)}
.pager{display:flex;gap:18px;margin:16px 0}
.pager .off{color:var(--rs-muted)}
figure{margin:14px 0;overflow-x:auto}
figcaption{font-size:13px;color:var(--rs-muted);max-width:64em}
@media (max-width:720px){.beside{grid-template-columns:minmax(0,1fr)}body{padding:14px 16px 60px}.facts{margin-left:0}}
${figureCss}
${tokenStripCss}`;
