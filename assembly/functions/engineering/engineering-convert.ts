import { ERROR_NOT_AVAILABLE } from '../../abi';
import { lengthOf, unit } from '../../memory/text';
import { answerError, answerNumber, failed, textArgument } from '../../vm/call';
import { toolNumber } from '../shared/tool-number';
import { pay } from '../../vm/fuel';

/**
 * Units of CONVERT as its help page lists them. `=` begins a quantity; a star means that metric
 * prefixes go with the unit, a plus that binary ones do as well. Unit n has factor n of FACTORS.
 */
const UNITS: string = `
= g* sg lbm u* ozm grain cwt shweight uk_cwt lcwt hweight stone ton uk_ton LTON brton
= m* mi Nmi in ft yd ang* ell ly* parsec* pc* Picapt Pica pica survey_mi
= yr day d hr mn min sec* s*
= Pa* p* atm* at* mmHg* psi Torr
= N* dyn* dy* lbf pond*
= J* e* c* cal* eV* ev* HPh hh Wh* wh* flb BTU btu
= HP h PS W* w*
= T* ga*
= tsp tspm tbs oz cup pt us_pt uk_pt* qt uk_qt gal uk_gal l* L* lt* ang3* ang^3* barrel bushel
  ft3 ft^3 in3 in^3 ly3 ly^3 m3* m^3* mi3 mi^3 yd3 yd^3 Nmi3 Nmi^3 Picapt3 Picapt^3 Pica3 Pica^3
  GRT regton MTON
= uk_acre us_acre ang2* ang^2* ar* ft2 ft^2 ha in2 in^2 ly2 ly^2 m2* m^2* Morgen mi2 mi^2
  Nmi2 Nmi^2 Picapt2 Picapt^2 Pica2 Pica^2 yd2 yd^2
= bit+ byte+
= admkn kn m/h* m/hr* m/s* m/sec* mph*
= C cel F fah K* kel* Rank Reau
`;

/** In g, m, s, Pa, N, J, W, T, l, m², bit, m/s; temperatures have formulas instead. */
const FACTORS: StaticArray<f64> = [
  1.0, 14593.902937206363, 453.59237, 1.660538782e-24, 28.349523125, 0.06479891, 45359.237,
  45359.237, 50802.34544, 50802.34544, 50802.34544, 6350.29318, 907184.74, 1016046.9088,
  1016046.9088, 1016046.9088, 1.0, 1609.344, 1852.0, 0.0254, 0.3048, 0.9144, 1e-10, 1.143,
  9.4607304725808e15, 3.085677581281553e16, 3.085677581281553e16, 0.0003527777777777778,
  0.0003527777777777778, 0.004233333333333333, 1609.3472186944373, 31557600.0, 86400.0, 86400.0,
  3600.0, 60.0, 60.0, 1.0, 1.0, 1.0, 1.0, 101325.0, 101325.0, 133.322, 6894.757293168362,
  133.32236842105263, 1.0, 0.00001, 0.00001, 4.4482216152605005, 0.00980665, 1.0, 1e-7, 4.184,
  4.1868, 1.602176487e-19, 1.602176487e-19, 2684519.537696173, 2684519.537696173, 3600.0, 3600.0,
  1.3558179483314003, 1055.05585262, 1055.05585262, 745.6998715822702, 745.6998715822702, 735.49875,
  1.0, 1.0, 1.0, 0.0001, 0.00492892159375, 0.005, 0.01478676478125, 0.0295735295625, 0.2365882365,
  0.473176473, 0.473176473, 0.56826125, 0.946352946, 1.1365225, 3.785411784, 4.54609, 1.0, 1.0, 1.0,
  1e-27, 1e-27, 158.987294928, 35.23907016688, 28.316846592, 28.316846592, 0.016387064, 0.016387064,
  8.46786664623715e50, 8.46786664623715e50, 1000.0, 1000.0, 4168181825440.5794, 4168181825440.5794,
  764.554857984, 764.554857984, 6352182208000.0, 6352182208000.0, 4.3903956618655696e-8,
  4.3903956618655696e-8, 4.3903956618655696e-8, 4.3903956618655696e-8, 2831.6846592, 2831.6846592,
  1132.67386368, 4046.8564224, 4046.8726098742522, 1e-20, 1e-20, 100.0, 0.09290304, 0.09290304,
  10000.0, 0.00064516, 0.00064516, 8.95054210748189e31, 8.95054210748189e31, 1.0, 1.0, 2500.0,
  2589988.110336, 2589988.110336, 3429904.0, 3429904.0, 1.2445216049382716e-7,
  1.2445216049382716e-7, 1.2445216049382716e-7, 1.2445216049382716e-7, 0.83612736, 0.83612736, 1.0,
  8.0, 0.5147733333333333, 0.5144444444444445, 0.0002777777777777778, 0.0002777777777777778, 1.0,
  1.0, 0.44704, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0,
];

/** Metric prefixes and their powers of ten; `da` and `e` are both ten. */
const PREFIXES: string = 'YZEPTGMkhedcmunpfazy';
const POWERS: StaticArray<i32> = [
  24, 21, 18, 15, 12, 9, 6, 3, 2, 1, -1, -2, -3, -6, -9, -12, -15, -18, -21, -24,
];

/** Binary prefixes, each 1,024 times the one before. */
const BINARY_PREFIXES: string = 'kMGTPEZY';

const TEMPERATURES: i32 = 13;

/**
 * Unit that findUnit or readUnit found: its quantity, and its factor to the quantity's base unit.
 */
let quantity: i32 = 0;
let factor: f64 = 0;
/** First letter of a temperature scale's name, for its zero. */
let scaleLetter: u32 = 0;
let suffix: u32 = 0;

/** Place in the table behind the name that isName compared last. */
let nameEnd: i32 = 0;

function isName(place: i32, text: usize, start: u32): bool {
  const length = lengthOf(text) - start;
  let index: i32 = 0;
  let same = true;
  for (; ; index++) {
    const code = <u32>UNITS.charCodeAt(place + index);
    if (code <= 32 || code == 42 || code == 43) break;
    if (<u32>index >= length || code != unit(text, start + index)) same = false;
  }
  nameEnd = place + index;
  return same && <u32>index == length;
}

/** Looks a unit up without a prefix. */
function findUnit(text: usize, start: u32): bool {
  let number = 0;
  let group = 0;
  for (let place = 0; place < UNITS.length; place++) {
    const code = UNITS.charCodeAt(place);
    if (code <= 32 || code == 42 || code == 43) continue;
    if (code == 61) {
      group++;
      continue;
    }
    if (isName(place, text, start)) {
      quantity = group;
      factor = unchecked(FACTORS[number]);
      suffix = UNITS.charCodeAt(nameEnd);
      scaleLetter = unit(text, start);
      if (group == TEMPERATURES && lengthOf(text) - start == 4) scaleLetter = unit(text, start + 1);
      return true;
    }
    number++;
    place = nameEnd - 1;
  }
  return false;
}

function powerOfTen(power: i32): f64 {
  let result: f64 = 1;
  for (let count = abs(power); count > 0; count--) result *= 10;
  return power < 0 ? 1 / result : result;
}

/** The units of the call before: whoever converts a column asks for the same ones. */
let knownFrom: u64 = 0;
let knownTo: u64 = 0;
let fromQuantity: i32 = 0;
let fromFactor: f64 = 0;
let fromLetter: u32 = 0;
let toQuantity: i32 = 0;
let toFactor: f64 = 0;
let toLetter: u32 = 0;

/** Returns the units of a text in one number, if they are up to four and none is 0; else 0. */
function keyOf(text: usize): u64 {
  const length = lengthOf(text);
  if (length == 0 || length > 4) return 0;
  let key: u64 = 0;
  for (let index: u32 = 0; index < length; index++) {
    const code = unit(text, index);
    if (code == 0) return 0;
    key = (key << 16) | code;
  }
  return key;
}

function readFrom(text: usize): bool {
  const key = keyOf(text);
  if (key && key == knownFrom) return true;
  if (!readUnit(text)) return false;
  knownFrom = key;
  fromQuantity = quantity;
  fromFactor = factor;
  fromLetter = scaleLetter;
  return true;
}

function readTo(text: usize): bool {
  const key = keyOf(text);
  if (key && key == knownTo) return true;
  if (!readUnit(text)) return false;
  knownTo = key;
  toQuantity = quantity;
  toFactor = factor;
  toLetter = scaleLetter;
  return true;
}

/** Cost of a search through the table, in units of memory/work.ts. */
const TABLE_UNITS: u32 = 3_000;

/** Reads a unit with or without prefix; squares and cubes take the prefix two and three times. */
function readUnit(text: usize): bool {
  pay(TABLE_UNITS);
  const length = lengthOf(text);
  if (!length) return false;
  if (findUnit(text, 0)) return true;
  const first = unit(text, 0);
  if (length > 2 && unit(text, 1) == 105 && findUnit(text, 2) && suffix == 43) {
    for (let index = 0; index < BINARY_PREFIXES.length; index++) {
      factor *= 1024;
      if (BINARY_PREFIXES.charCodeAt(index) == first) return true;
    }
    return false;
  }
  let power = 0;
  if (length > 2 && first == 100 && unit(text, 1) == 97 && findUnit(text, 2)) power = 1;
  else if (findUnit(text, 1)) {
    for (let index = 0; index < PREFIXES.length; index++) {
      if (PREFIXES.charCodeAt(index) == first) power = unchecked(POWERS[index]);
    }
  }
  if (power == 0 || (suffix != 42 && suffix != 43)) return false;
  const last = unit(text, length - 1);
  if (last == 50) power *= 2;
  if (last == 51) power *= 3;
  factor *= powerOfTen(power);
  return true;
}

const KELVIN_AT_ZERO: f64 = 273.15;

/** A temperature in degrees Celsius; the scale is told by a letter (Rankine a, Réaumur e). */
function toCelsius(value: f64, letter: u32): f64 {
  if (letter == 70 || letter == 102) return (value - 32) / 1.8;
  if (letter == 75 || letter == 107) return value - KELVIN_AT_ZERO;
  if (letter == 97) return value / 1.8 - KELVIN_AT_ZERO;
  return letter == 101 ? value * 1.25 : value;
}

function fromCelsius(value: f64, letter: u32): f64 {
  if (letter == 70 || letter == 102) return value * 1.8 + 32;
  if (letter == 75 || letter == 107) return value + KELVIN_AT_ZERO;
  if (letter == 97) return (value + KELVIN_AT_ZERO) * 1.8;
  return letter == 101 ? value * 0.8 : value;
}

/** CONVERT(number, from, to) */
export function evaluateConvert(): void {
  const value = toolNumber(0);
  const from = textArgument(1);
  const to = textArgument(2);
  if (failed()) return;
  if (!readFrom(from) || !readTo(to) || toQuantity != fromQuantity) {
    return answerError(ERROR_NOT_AVAILABLE);
  }
  if (toQuantity != TEMPERATURES || fromLetter == toLetter) {
    return answerNumber((value * fromFactor) / toFactor);
  }
  answerNumber(fromCelsius(toCelsius(value * fromFactor, fromLetter), toLetter) / toFactor);
}
