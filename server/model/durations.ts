export const hourSeconds = 3_600;
export const daySeconds = 24 * hourSeconds;
export const hourMilliseconds = hourSeconds * 1000;
export const dayMilliseconds = daySeconds * 1000;
