const ALPHABETS = { base64: /^[A-Za-z0-9+/]*={0,2}$/, base64url: /^[\w-]*={0,2}$/ } as const;

/** Whether a text is valid in an encoding. Padding is optional. White space is invalid. */
export function isEncoded(text: string, encoding: 'base64' | 'base64url' | 'hex'): boolean {
  if (encoding === 'hex') return text.length % 2 === 0 && /^[0-9a-f]*$/i.test(text);
  if (!ALPHABETS[encoding].test(text)) return false;
  const digits = text.length - (text.match(/=+$/)?.[0].length ?? 0);
  return digits % 4 > 1 || (digits % 4 === 0 && digits === text.length);
}
