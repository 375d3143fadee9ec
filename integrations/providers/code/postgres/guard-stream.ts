import type { Duplex } from 'node:stream';
import { messageChecker, TooMuchReceivedError } from './message-checker.ts';

/**
 * Destroys the stream when it receives more than `maxBytes`, or when a listener throws. The
 * driver's listeners throw at invalid data, which would end the process.
 * With `holdsMessages`, each message is checked before the driver reads it.
 */
export function guardStream(stream: Duplex, { maxBytes, holdsMessages }: { maxBytes: number; holdsMessages: boolean }): void {
  const emit = stream.emit.bind(stream);
  const checked = holdsMessages ? messageChecker(maxBytes) : (chunk: Buffer) => chunk;
  let received = 0;
  const receive = (chunk: Buffer): boolean => {
    received += chunk.length;
    if (received > maxBytes) throw new TooMuchReceivedError();
    const messages = checked(chunk);
    return messages.length === 0 || emit('data', messages);
  };
  stream.emit = (event: string | symbol, ...values: unknown[]): boolean => {
    try {
      if (event !== 'data') return emit(event, ...(values as []));
      return !stream.destroyed && receive(values[0] as Buffer);
    } catch (error) {
      stream.destroy(error as Error);
      return false;
    }
  };
}
