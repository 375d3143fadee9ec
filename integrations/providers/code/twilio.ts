import type { ActionCode } from '../../declarative/to-action.ts';

/** Verbs of TwiML that reach others than the person who is called. */
const REACHING = /<\s*(dial|sms|message|refer|redirect|connect|enqueue|start|stream|siprec)\b/i;

/**
 * Whom a call reaches: the number, and whoever its instructions name. Instructions that are
 * elsewhere, or that reach others, stand for those people: no list of numbers allows them.
 */
export const makeCall: ActionCode = {
  recipients({ To, Url, ApplicationSid, Twiml }) {
    const instructions = typeof Twiml === 'string' && REACHING.test(Twiml) ? Twiml : undefined;
    return [To, Url, ApplicationSid, instructions].filter((one) => typeof one === 'string');
  },
};
