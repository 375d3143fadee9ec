/**
 * An input that holds secrets. The secrets are composed at run time, so that no source file
 * contains text that looks like a key.
 */
export interface SecretCase {
  name: string;
  input: Record<string, unknown>;
  /** Texts that the preview must not contain, even encoded. */
  secrets: string[];
  /** The paths that `redactedPaths` must contain. */
  paths: string[];
}

/** A secret without a known form, so that only its place reveals it. */
export const PLAIN = 'zq4711xKestrel';
export const TWO_WORDS = 'zq4711x Kestrel';

/** The characters do not resemble a word. */
function of(alphabet: string, length: number): string {
  return Array.from({ length }, (_, index) => alphabet[(index * 7 + (index >> 2) * 3 + 5) % alphabet.length]).join('');
}
const HEX = '3f90a7c2d18b4e65';
const LOWER = 'k7dq2mzx9wvb4htc8rnp';
const ALNUM = 'Gx7Qd2LmZ9wVb4HtCr8Np3sKyF6uJe';
const UPPER = 'Q7ZK2MXD9WVB4HTC';
export const hex = (length: number) => of(HEX, length);
export const lower = (length: number) => of(LOWER, length);
export const alnum = (length: number) => of(ALNUM, length);
export const upper = (length: number) => of(UPPER, length);

export const base64 = (text: string) => Buffer.from(text).toString('base64');
export const base64url = (text: string) => Buffer.from(text).toString('base64url');
export const inHex = (text: string) => Buffer.from(text).toString('hex');
export const percents = (text: string) => Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
export const wide = (text: string) => text.replace(/[!-~]/g, (character) => String.fromCharCode(character.charCodeAt(0) + 0xfee0));
export const json = JSON.stringify;
export const CARD = ['4111', '1111', '1111', '1111'];
export const AMEX = ['3782', '822463', '10005'];

export const inField = (name: string, value: unknown, secrets: string[] = [PLAIN]): SecretCase => ({
  ...{ name: `the field ${name}`, input: { [name]: value }, secrets, paths: [name] },
});
export const inText = (name: string, text: string, secrets: string[] = [PLAIN]): SecretCase => ({
  name,
  input: { text },
  secrets,
  paths: ['text'],
});
export const token = (vendor: string, value: string): SecretCase[] => [
  inText(`a token of ${vendor}`, value, [value]),
  inText(`a token of ${vendor} in a sentence`, `Please use ${value} for this.`, [value]),
];
export const at = (name: string, input: Record<string, unknown>, paths: string[], secrets: string[] = [PLAIN]): SecretCase => ({
  name,
  input,
  paths,
  secrets,
});
