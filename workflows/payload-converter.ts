import { defaultPayloadConverter, type Payload, type PayloadConverter } from '@temporalio/common';

const UNREADABLE = Symbol('unreadable');

/** As usual, but what can't be read is something that means nothing: a signal in another encoding, sent by hand, would hold its workflow up for good. */
export const payloadConverter: PayloadConverter = {
  toPayload: <T>(value: T) => defaultPayloadConverter.toPayload(value),
  fromPayload: <T>(payload: Payload): T => {
    try {
      return defaultPayloadConverter.fromPayload<T>(payload);
    } catch {
      return UNREADABLE as T;
    }
  },
};
