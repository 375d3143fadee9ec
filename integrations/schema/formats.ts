interface Format {
  name: string;
  test(text: string): boolean;
}

const DATE = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;
const TIME = /^([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):?[0-5]\d)$/i;
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
const EMAIL = /^[^\s@<>(),;:"[\]\\]{1,64}@[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)+$/i;

/** The text formats that are validated; others are only documentation. */
export const FORMATS: Readonly<Record<string, Format | undefined>> = {
  __proto__: null as never,
  date: { name: 'a date such as 2026-01-15', test: isDate },
  'date-time': {
    name: 'a date and time such as 2026-01-15T09:30:00Z',
    test: (text) => text[10]?.toLowerCase() === 't' && isDate(text.slice(0, 10)) && TIME.test(text.slice(11)),
  },
  email: { name: 'an e-mail address', test: (text) => text.length <= 320 && !text.includes('..') && EMAIL.test(text) },
  uri: { name: 'an absolute URL', test: (text) => URL.canParse(text) },
  uuid: { name: 'a UUID', test: (text) => UUID.test(text) },
};

function isDate(text: string): boolean {
  return DATE.test(text) && new Date(`${text}T00:00:00Z`).getUTCDate() === Number(text.slice(8));
}
