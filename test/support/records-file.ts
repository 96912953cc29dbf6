import { sheetXml, workbookParts, workbookXml, zipParts, type Parts } from './workbook-file.ts';

const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const microsoft = 'http://schemas.microsoft.com/office/2017/10/relationships';
const packages = 'http://schemas.openxmlformats.org/package/2006';

function relationships(...links: [id: string, type: string, target: string, external?: true][]) {
  const elements = links.map(([id, type, target, external]) => {
    const mode = external ? ' TargetMode="External"' : '';
    return `<Relationship Id="${id}" Type="${type}" Target="${target}"${mode}/>`;
  });
  return `<Relationships xmlns="${packages}/relationships">${elements.join('')}</Relationships>`;
}

/** Elements that Excel writes behind the cells of a sheet, in its order and with its habits. */
const behind = `
<sheetProtection algorithmName="SHA-512" hashValue="x" saltValue="y" spinCount="1" sheet="1" objects="1" formatCells="0"/>
<protectedRanges><protectedRange sqref="A1 C3:C4" name="Plan &amp; more"/></protectedRanges>
<autoFilter ref="A5:D9"><filterColumn colId="1"><filters blank="1"><filter val="x &lt; y"/></filters></filterColumn>
<filterColumn colId="2" hiddenButton="1"><customFilters and="1"><customFilter operator="greaterThan" val="5"/><customFilter val="*z"/></customFilters></filterColumn>
<filterColumn colId="3"><colorFilter dxfId="0"/></filterColumn></autoFilter>
<mergeCells count="3"><mergeCell ref="B1:C2"/><mergeCell ref="C2:D2"/><mergeCell ref="H1:H1"/></mergeCells>
<conditionalFormatting sqref="B5:B9 A7"><cfRule type="expression" dxfId="0" priority="3" stopIfTrue="1"><formula>A5&gt;$D$1</formula></cfRule>
<cfRule type="cellIs" dxfId="1" priority="1" operator="between"><formula>1</formula><formula>"a""b"</formula></cfRule></conditionalFormatting>
<conditionalFormatting sqref="D1"><cfRule type="containsText" priority="2" operator="containsText" text="it's"><formula>NOT(ISERROR(SEARCH("it's",D1)))</formula></cfRule>
<cfRule type="timePeriod" dxfId="9" priority="4" timePeriod="lastWeek"><formula>whatever()</formula></cfRule>
<cfRule type="colorScale" priority="5"><colorScale><cfvo type="min"/><cfvo type="num" val="$A$1"/><cfvo type="percentile" val="90"/><color rgb="FFF8696B"/><color theme="4" tint="-0.25"/><color indexed="10"/></colorScale></cfRule>
<cfRule type="iconSet" priority="6"><iconSet iconSet="3Arrows" showValue="0"><cfvo type="percent" val="0"/><cfvo type="percent" val="33"/><cfvo type="percent" val="67" gte="0"/></iconSet></cfRule>
<cfRule type="top10" percent="1" rank="5" priority="7"/><cfRule type="aboveAverage" aboveAverage="0" stdDev="1" priority="8"/>
<cfRule type="expression" priority="9"><formula>[1]Other!A1</formula></cfRule></conditionalFormatting>
<dataValidations count="5"><dataValidation type="list" allowBlank="1" showInputMessage="1" showErrorMessage="1" promptTitle="Pick" prompt="one_x000A_of" sqref="A1:A4"><formula1>"yes, no,""q"""</formula1></dataValidation>
<dataValidation type="list" showDropDown="1" sqref="B5"><formula1>$F$1:$F$3</formula1></dataValidation>
<dataValidation type="whole" errorStyle="warning" operator="greaterThanOrEqual" showErrorMessage="1" error="no" sqref="C1:C4 D4"><formula1>-5</formula1></dataValidation>
<dataValidation type="date" errorStyle="information" showErrorMessage="1" sqref="C9"><formula1>45000</formula1><formula2>C8+1</formula2></dataValidation>
<dataValidation type="custom" showErrorMessage="1" sqref="D9"><formula1>COUNTIF($D:$D,D9)=1</formula1></dataValidation></dataValidations>
<hyperlinks><hyperlink ref="A2" r:id="rIdLink" tooltip="go"/><hyperlink ref="A3:B3" location="'My sheet'!B2" display="x"/><hyperlink ref="A4" r:id="rIdLink" location="part"/><hyperlink ref="A5"/></hyperlinks>
<legacyDrawing r:id="rIdDrawing"/>
<extLst><ext uri="{CCE6A557-97BC-4b89-ADB6-D9C93CAAB3DF}" xmlns:x14="x14"><x14:dataValidations xmlns:xm="xm" count="1"><x14:dataValidation type="list" allowBlank="1"><x14:formula1><xm:f>'My sheet'!$A$1:$A$2</xm:f></x14:formula1><xm:sqref>F9</xm:sqref></x14:dataValidation></x14:dataValidations></ext></extLst>`;

const styles = `<styleSheet><dxfs count="2"><dxf><font><b/><i val="0"/><color rgb="FF9C0006"/></font><fill><patternFill><bgColor rgb="FFFFC7CE"/></patternFill></fill></dxf>
<dxf><numFmt numFmtId="164" formatCode="0.0%"/><border><left style="thin"><color auto="1"/></left><bottom style="double"><color theme="1"/></bottom></border></dxf></dxfs></styleSheet>`;

const notes = `<comments><authors><author>Ada</author><author>tc={T1}</author></authors><commentList>
<comment ref="B2" authorId="0"><text><r><rPr><b/></rPr><t>Ada:</t></r><r><t xml:space="preserve">
look_x0021_</t></r></text></comment><comment ref="C3" authorId="1"><text><t>[Threaded comment]</t></text></comment></commentList></comments>`;
const threads = `<ThreadedComments><threadedComment ref="C3" dT="2024-05-06T07:08:09.12" personId="{P1}" id="{T1}" done="1"><text>why?</text></threadedComment>
<threadedComment ref="C3" personId="{P2}" id="{T2}" parentId="{T1}"><text>so &amp; so</text></threadedComment></ThreadedComments>`;
const people = `<personList><person displayName="Grace Hopper" id="{P1}"/><person displayName="Bo" id="{P2}"/></personList>`;

/** A workbook with everything that lies on cells, as Excel writes it. */
export function recordsFile(): Uint8Array {
  return zipParts(recordsParts());
}

export function recordsParts(): Parts {
  const sheets =
    '<sheet name="Main" sheetId="1" r:id="rId1"/><sheet name="My sheet" sheetId="2" r:id="rId2"/>';
  return {
    ...workbookParts(''),
    'xl/workbook.xml': workbookXml(sheets),
    'xl/_rels/workbook.xml.rels': relationships(
      ['rId1', `${office}/worksheet`, 'worksheets/sheet1.xml'],
      ['rId2', `${office}/worksheet`, 'worksheets/sheet2.xml'],
      ['rId3', `${office}/styles`, 'styles.xml'],
      ['rId4', `${microsoft}/person`, 'persons/person.xml'],
    ),
    'xl/worksheets/sheet1.xml': sheetXml('<row r="1"><c r="A1"><v>1</v></c></row>', behind).replace(
      '<worksheet ',
      `<worksheet xmlns:r="${office}" `,
    ),
    'xl/worksheets/sheet2.xml': sheetXml(''),
    'xl/worksheets/_rels/sheet1.xml.rels': relationships(
      ['rIdLink', `${office}/hyperlink`, 'https://example.org/?a=1&amp;b=2', true],
      ['rIdDrawing', `${office}/vmlDrawing`, '../drawings/vmlDrawing1.vml'],
      ['rIdNotes', `${office}/comments`, '../comments1.xml'],
      ['rIdThreads', `${microsoft}/threadedComment`, '../threadedComments/threadedComment1.xml'],
    ),
    'xl/styles.xml': styles,
    'xl/comments1.xml': notes,
    'xl/threadedComments/threadedComment1.xml': threads,
    'xl/persons/person.xml': people,
    'xl/drawings/vmlDrawing1.vml': '<xml/>',
  };
}
