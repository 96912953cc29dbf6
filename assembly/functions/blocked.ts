import { ERROR_BLOCKED } from '../abi';
import { answerError } from '../vm/call';

/** Functions that reach outside the workbook: they are read and stored, and answer #BLOCKED!. */
export const BLOCKED: string = `
WEBSERVICE 1 1 r;
RTD 3 255 r;
STOCKHISTORY 2 255 r;
IMAGE 1 5 r;
CUBEKPIMEMBER 3 4 r;
CUBEMEMBER 2 3 r;
CUBEMEMBERPROPERTY 3 3 r;
CUBERANKEDMEMBER 3 4 r;
CUBESET 2 5 r;
CUBESETCOUNT 1 1 r;
CUBEVALUE 1 255 r;
IMPORTCSV 1 255 r;
IMPORTTEXT 1 255 r;
TRANSLATE 1 3 r;
DETECTLANGUAGE 1 1 r;
COPILOT 1 255 r;
CALL 1 255 r;
REGISTER.ID 2 3 r;
SQL.REQUEST 1 5 r;
`;

export function callBlocked(_index: u32): void {
  answerError(ERROR_BLOCKED);
}
