import type { ActionCode } from '../../declarative/to-action.ts';

/** Verbs of TwiML that reach others than the person who is called. */
const REACHING = /<\s*(dial|sms|message|refer|redirect|connect|enqueue|start|stream|siprec)\b/i;

/**
 * The recipients of a call: its number, and people whom its instructions name. Instructions that
 * are stored elsewhere, or that reach others, count as a recipient that no list of numbers allows.
 */
export const makeCall: ActionCode = {
  recipients({ To, Url, ApplicationSid, Twiml }) {
    const instructions = typeof Twiml === 'string' && REACHING.test(Twiml) ? Twiml : undefined;
    return [To, Url, ApplicationSid, instructions].filter((one) => typeof one === 'string');
  },
};
