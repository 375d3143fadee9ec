import { defaultPayloadConverter, type Payload, type PayloadConverter } from '@temporalio/common';

/**
 * The default converter, except that an unreadable or binary payload becomes
 * `{ unreadable: text }`. Otherwise a signal sent by hand in another encoding would block its
 * workflow forever. Workflows invalidate one-time operator codes in the text, because the history
 * shows the codes.
 */
export const payloadConverter: PayloadConverter = {
  toPayload: <T>(value: T) => defaultPayloadConverter.toPayload(value),
  fromPayload: <T>(payload: Payload): T => {
    try {
      const value = defaultPayloadConverter.fromPayload<T>(payload);
      return ArrayBuffer.isView(value) ? (unreadable(payload) as T) : value;
    } catch {
      return unreadable(payload) as T;
    }
  },
};

function unreadable({ data }: Payload): { unreadable: string } {
  return { unreadable: new TextDecoder().decode(data ?? new Uint8Array()) };
}
