/** A frame can hold 1 MB of JSON inside a JSON string, even if each character is escaped. */
export const FRAME_MAX_BYTES = 4 * 1024 * 1024;

const HEADER_BYTES = 4;

/** Encodes a message: four bytes of length, then JSON in UTF-8. */
export function encodeFrame(message: object): Buffer {
  const body = Buffer.from(JSON.stringify(message));
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32BE(body.length);
  return Buffer.concat([header, body]);
}

/**
 * Returns a function that splits a stream into frames. A frame above the limit calls `onTooLarge`,
 * and later chunks are ignored.
 */
export function frameReader(onFrame: (text: string) => void, onTooLarge: () => void): (chunk: Buffer) => void {
  let chunks: Buffer[] = [];
  let bytes = 0;
  let isOver = false;

  return (chunk) => {
    if (isOver) return;
    chunks.push(chunk);
    bytes += chunk.length;
    while (!isOver && bytes >= HEADER_BYTES) {
      if (chunks[0]!.length < HEADER_BYTES) chunks = [Buffer.concat(chunks)];
      const end = HEADER_BYTES + chunks[0]!.readUInt32BE(0);
      if (end > FRAME_MAX_BYTES) {
        isOver = true;
        chunks = [];
        return onTooLarge();
      }
      if (bytes < end) return;
      // A chunk may hold thousands of small frames. Copying the chunk for each would be slow.
      const all = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
      chunks = [all.subarray(end)];
      bytes = all.length - end;
      onFrame(all.toString('utf8', HEADER_BYTES, end));
    }
  };
}
