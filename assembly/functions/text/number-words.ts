import { ERROR_NUMBER } from '../../abi';
import { newText, setUnit, lengthOf, unit } from '../../memory/text';
import { appendConstant, appendUnit, closeBuilder, openBuilder } from '../../values/text-builder';
import {
  answerText,
  fail,
  failed,
  integerArgument,
  numberArgument,
  textArgument,
} from '../../vm/call';

function appendThaiDigit(digit: u32): void {
  switch (digit) {
    case 0:
      return appendConstant('ศูนย์');
    case 1:
      return appendConstant('หนึ่ง');
    case 2:
      return appendConstant('สอง');
    case 3:
      return appendConstant('สาม');
    case 4:
      return appendConstant('สี่');
    case 5:
      return appendConstant('ห้า');
    case 6:
      return appendConstant('หก');
    case 7:
      return appendConstant('เจ็ด');
    case 8:
      return appendConstant('แปด');
    default:
      return appendConstant('เก้า');
  }
}

function appendThaiPlace(power: u32): void {
  if (power == 2) appendConstant('ร้อย');
  else if (power == 3) appendConstant('พัน');
  else if (power == 4) appendConstant('หมื่น');
  else appendConstant('แสน');
}

/** A number of at most six digits in Thai words. */
function appendThaiBlock(value: u32): void {
  let rest = value;
  let unitValue: u32 = 100000;
  for (let power: u32 = 5; power >= 2; power--) {
    const digit = rest / unitValue;
    rest %= unitValue;
    unitValue /= 10;
    if (digit == 0) continue;
    appendThaiDigit(digit);
    appendThaiPlace(power);
  }
  const tens = rest / 10;
  const ones = rest % 10;
  if (tens == 2) appendConstant('ยี่');
  else if (tens > 2) appendThaiDigit(tens);
  if (tens > 0) appendConstant('สิบ');
  if (ones == 1 && tens > 0) appendConstant('เอ็ด');
  else if (ones > 0) appendThaiDigit(ones);
}

/** A whole number in Thai words, block by block of a million. */
function appendThaiWhole(value: f64): void {
  if (value >= 1e6) {
    appendThaiWhole(floor(value / 1e6));
    appendConstant('ล้าน');
  }
  appendThaiBlock(<u32>(value % 1e6));
}

const WHOLE_FROM: f64 = 1e15;

/** BAHTTEXT(number): an amount of money in Thai. */
export function evaluateBahttext(): void {
  const value = numberArgument(0);
  if (failed()) return;
  const size = abs(value);
  // Numbers this large have no hundredths.
  const total = size < WHOLE_FROM ? floor(size * 100 + 0.5) : 0;
  const baht = size < WHOLE_FROM ? floor(total / 100) : size;
  const satang = <u32>(total % 100);
  openBuilder();
  if (value < 0 && baht + satang > 0) appendConstant('ลบ');
  if (baht > 0 || satang == 0) {
    if (baht > 0) appendThaiWhole(baht);
    else appendThaiDigit(0);
    appendConstant('บาท');
  }
  if (satang > 0) {
    appendThaiBlock(satang);
    appendConstant('สตางค์');
  } else {
    appendConstant('ถ้วน');
  }
  answerText(closeBuilder());
}

const COMMON_DIGITS: StaticArray<u16> = [
  0x3007, 0x4e00, 0x4e8c, 0x4e09, 0x56db, 0x4e94, 0x516d, 0x4e03, 0x516b, 0x4e5d,
];
const FORMAL_DIGITS: StaticArray<u16> = [
  0x96f6, 0x58f9, 0x8d30, 0x53c1, 0x8086, 0x4f0d, 0x9646, 0x67d2, 0x634c, 0x7396,
];
const COMMON_PLACES: StaticArray<u16> = [0, 0x5341, 0x767e, 0x5343];
const FORMAL_PLACES: StaticArray<u16> = [0, 0x62fe, 0x4f70, 0x4edf];
/** Ten thousand, a hundred million, a million million. */
const GROUPS: StaticArray<u16> = [0, 0x4e07, 0x4ebf, 0x5146];

/** NUMBERSTRING(number, form): 1 common, 2 formal, 3 digit by digit, in Chinese. */
export function evaluateNumberString(): void {
  const value = integerArgument(0);
  const form = integerArgument(1);
  if (!(value >= 0 && value < 1e16) || !(form >= 1 && form <= 3)) fail(ERROR_NUMBER);
  if (failed()) return;
  openBuilder();
  let power: f64 = 1;
  let place: u32 = 0;
  while (power * 10 <= value) {
    power *= 10;
    place++;
  }
  let rest = value;
  let gap = false;
  let inGroup = false;
  for (; power >= 1; power = floor(power / 10), place--) {
    const digit = <u32>(rest / power);
    rest -= digit * power;
    if (form == 3 || value == 0) {
      appendUnit(unchecked(COMMON_DIGITS[digit]));
      continue;
    }
    if (digit > 0) {
      if (gap) appendUnit(form == 2 ? 0x96f6 : 0x3007);
      gap = false;
      inGroup = true;
      appendUnit(form == 2 ? unchecked(FORMAL_DIGITS[digit]) : unchecked(COMMON_DIGITS[digit]));
      const mark =
        form == 2 ? unchecked(FORMAL_PLACES[place & 3]) : unchecked(COMMON_PLACES[place & 3]);
      if (mark) appendUnit(mark);
    } else {
      gap = true;
    }
    if ((place & 3) == 0) {
      if (inGroup && place > 0) appendUnit(unchecked(GROUPS[place >> 2]));
      inGroup = false;
    }
  }
  answerText(closeBuilder());
}

/** DBCS(text): half-width Latin letters, digits and signs become full-width ones. */
export function evaluateDbcs(): void {
  const text = textArgument(0);
  if (failed()) return;
  const length = lengthOf(text);
  const wide = newText(length);
  for (let index: u32 = 0; index < length; index++) {
    const code = unit(text, index);
    const isHalf = code >= 0x21 && code <= 0x7e;
    setUnit(wide, index, isHalf ? code + 0xfee0 : code == 32 ? 0x3000 : code);
  }
  answerText(wide);
}

/** PHONETIC(reference): no phonetic guides are kept, so it is the text itself. */
export function evaluatePhonetic(): void {
  const text = textArgument(0);
  if (failed()) return;
  answerText(text);
}
