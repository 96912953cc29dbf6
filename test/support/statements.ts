import type { Statement } from '../../server/tlog/leaf/statement.ts';
import { noStatement } from '../../server/tlog/leaf/statement.ts';

function hash(byte: number): Uint8Array {
  return new Uint8Array(32).fill(byte);
}

export const statement: Statement = {
  version: 1,
  kind: 'segment',
  workbook: 'wb_01JZ8Q3V5Y7K2M4N6P8R0T1W3X',
  branch: 'main',
  firstSeq: 1,
  lastSeq: 42,
  previous: [noStatement],
  operations: hash(1),
  chain: hash(2),
  state: hash(3),
  timeMilliseconds: 1_795_300_000_123,
};

export const statementText = `wbstatement/v1
kind segment
workbook wb_01JZ8Q3V5Y7K2M4N6P8R0T1W3X
branch main
range 1 42
prev AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=
ops AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=
chain AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI=
state AwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwM=
time 1795300000123
`;
