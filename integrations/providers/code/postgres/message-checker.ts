/** The server sent something that is not a message of the protocol. */
export class UnreadableMessageError extends Error {}

/** The server sent more than a call may receive. */
export class TooMuchReceivedError extends Error {}

const HEADER = 5;
const FIELD_AFTER_NAME = 18;
const AUTHENTICATION_SASL = 10;
const ROW = 'D'.charCodeAt(0);
const EMPTY = Buffer.alloc(0);

/**
 * Returns a function that takes each chunk and returns the complete messages. Strings must end
 * within their message, because the driver would read on. The function throws TooMuchReceivedError
 * for a row longer than `maxBytes`, and UnreadableMessageError for any other bad message.
 * https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
export function messageChecker(maxBytes: number): (chunk: Buffer) => Buffer {
  let parts: Buffer[] = [];
  let held = 0;
  let wanted = HEADER;
  return (chunk) => {
    parts.push(chunk);
    held += chunk.length;
    if (held < wanted) return EMPTY;
    const all = Buffer.concat(parts, held);
    let end = 0;
    wanted = HEADER;
    while (all.length - end >= HEADER) {
      const length = all.readUInt32BE(end + 1);
      if (length > maxBytes && all[end] === ROW) throw new TooMuchReceivedError();
      if (length < 4 || length > maxBytes) throw new UnreadableMessageError();
      if (all.length - end <= length) {
        wanted = length + 1;
        break;
      }
      if (!isReadable(String.fromCharCode(all[end]!), all.subarray(end + HEADER, end + length + 1))) throw new UnreadableMessageError();
      end += length + 1;
    }
    parts = [all.subarray(end)];
    held = all.length - end;
    return all.subarray(0, end);
  };
}

function isReadable(code: string, body: Buffer): boolean {
  switch (code) {
    case 'C':
      return endsWithZeros(body, 1);
    case 'E':
    case 'N':
      return (body.length === 1 && body[0] === 0) || endsWithZeros(body, 2);
    case 'S':
      return hasTwoTexts(body);
    case 'A':
      return hasTwoTexts(body.subarray(4));
    case 'R':
      return body.length >= 4 && (body.readInt32BE(0) !== AUTHENTICATION_SASL || endsWithZeros(body.subarray(4), 2));
    case 'T':
      return hasFields(body);
    default:
      return true;
  }
}

function endsWithZeros(body: Buffer, count: number): boolean {
  return body.length >= count && body.subarray(-count).every((byte) => byte === 0);
}

function hasTwoTexts(body: Buffer): boolean {
  const first = body.indexOf(0);
  return first >= 0 && body.indexOf(0, first + 1) >= 0;
}

function hasFields(body: Buffer): boolean {
  if (body.length < 2) return false;
  let at = 2;
  for (let left = body.readUInt16BE(0); left > 0; left -= 1) {
    const end = body.indexOf(0, at);
    if (end < 0) return false;
    at = end + 1 + FIELD_AFTER_NAME;
    if (at > body.length) return false;
  }
  return true;
}
