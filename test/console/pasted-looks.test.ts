import t from 'tap';

import { tableIn } from '../../client/console/grid/pasted-looks.ts';

/** Looks of cells as spreadsheets put them into the clipboard, in pieces of what they wrote. */

const excel = `<html xmlns:o="urn:schemas-microsoft-com:office:office"
xmlns:x="urn:schemas-microsoft-com:office:excel" xmlns="http://www.w3.org/TR/REC-html40">
<head><meta name=Generator content="Microsoft Excel 15"><style>
<!--table {mso-displayed-decimal-separator:"\\.";}
td {padding-top:1px; color:black; font-weight:400; mso-number-format:General;}
.xl65 {font-weight:700; background:yellow; mso-pattern:black none;}
.xl66 {mso-number-format:"\\#\\,\\#\\#0\\.00";}
.xl67 {mso-number-format:"\\0022$\\0022\\#\\,\\#\\#0";}
.xl68 {mso-number-format:"Short Date"; color:red; font-style:italic;}
.xl69 {mso-number-format:"\\@"; text-decoration:underline; text-underline-style:single;}
--></style></head><body><table border=0><!--StartFragment--><col width=64>
<tr height=20><td height=20 class=xl65 width=64>Name</td><td colspan=2 class=xl65>Sum</td></tr>
<tr><td class=xl69>007</td><td class=xl66 align=right x:num="1234.5">1,234.50</td><td class=xl67>$5</td></tr>
<tr><td class=xl68 align=right>1/31/2026</td><td></td></tr>
<!--EndFragment--></table></body></html>`;

const sheets = `<meta charset='utf-8'><google-sheets-html-origin><style type="text/css"><!--td {border: 1px solid #cccccc;}--></style>
<table xmlns="http://www.w3.org/1999/xhtml" data-sheets-root="1"><colgroup><col width="100"/></colgroup><tbody>
<tr style="height:21px;"><td style="padding:2px 3px 2px 3px;font-weight:bold;background-color:#fff2cc;" data-sheets-value="{&quot;1&quot;:2,&quot;2&quot;:&quot;a &gt; b&quot;}">a &gt; b</td>
<td style="background-color:rgb(226, 240, 217);text-decoration:line-through;text-align:center" data-sheets-numberformat="{&quot;1&quot;:2,&quot;2&quot;:&quot;#,##0.00\\&quot; kg\\&quot;&quot;,&quot;3&quot;:1}">1,234.50 kg</td></tr></tbody></table>`;

const office = `<!DOCTYPE html><html><head><meta name="generator" content="LibreOffice 24.2"/>
<style type="text/css">body,div,table { font-family:"Liberation Sans" } a.comment-indicator:hover + comment { background:#ffd; }</style></head>
<body><table cellspacing="0" border="0"><colgroup width="85"></colgroup>
<tr><td height="17" align="left" bgcolor="#FFFF00"><b><font color="#C9211E">Name</font></b></td>
<td align="right" sdval="1234.5" sdnum="1033;0;#,##0.00">1,234.50</td></tr>
<tr><td rowspan="2"><i><u>two</u></i></td><td sdnum="1033;0;0%">5%</td></tr>
<tr><td sdnum="1033;1033;General">7</td></tr></table><table><tr><td bgcolor="red">no</td></tr></table></body></html>`;

t.test('Excel writes classes', async (t) => {
  const head = { bold: true, fill: '#FFFF00' };
  t.same(tableIn(excel).looks, [
    [head, head, {}],
    [
      { numberFormat: '@', underline: 'single' },
      { numberFormat: '#,##0.00' },
      { numberFormat: '"$"#,##0' },
    ],
    [{ numberFormat: 'm/d/yyyy', color: '#FF0000', italic: true }, {}],
  ]);
});

t.test('Google Sheets writes styles', async (t) => {
  t.same(tableIn(sheets).looks, [
    [
      { bold: true, fill: '#FFF2CC' },
      { fill: '#E2F0D9', strike: true, align: 'center', numberFormat: '#,##0.00" kg"' },
    ],
  ]);
});

t.test('LibreOffice writes attributes', async (t) => {
  t.same(tableIn(office).looks, [
    [{ fill: '#FFFF00', bold: true, color: '#C9211E' }, { numberFormat: '#,##0.00' }],
    [{ italic: true, underline: 'single' }, { numberFormat: '0%' }],
    [{}, {}],
  ]);
});

t.test('merged cells have their areas', async (t) => {
  t.same(tableIn(excel).merged, [{ row0: 0, row1: 0, column0: 1, column1: 2 }]);
  t.same(tableIn(office).merged, [{ row0: 1, row1: 2, column0: 0, column1: 0 }]);
  t.same(tableIn(sheets).merged, []);
});

t.test('what is no table, or broken, has no looks', async (t) => {
  for (const text of ['', '<b>one</b>', '<td bgcolor="red">', '<table><tr><td style="color', '<']) {
    const { looks, merged } = tableIn(text);
    t.same([...looks.flat(), ...merged], [], text);
  }
});

t.test('a clipboard that is no JSON keeps its texts, and loses nothing else', async (t) => {
  const cellOf = (json: string) =>
    tableIn(
      `<table><tr><td style="font-weight:bold" data-sheets-numberformat='${json}'>1</td></tr>`,
    ).looks;
  t.same(cellOf(String.raw`{"2":"0\q"}`), [[{ bold: true, numberFormat: '0q' }]]);
  t.same(cellOf(String.raw`{"2":"0\q\"`), [[{ bold: true }]]);
  t.same(cellOf(String.raw`{"2":"0.0\u0025"}`), [[{ bold: true, numberFormat: '0.0%' }]]);
});
