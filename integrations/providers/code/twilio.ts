import type { ActionCode } from '../../declarative/to-action.ts';

const REACHING = /<\s*(dial|sms|message|refer|redirect|connect|enqueue|start|stream|siprec)\b/i;

/**
 * The recipients of a call. Instructions that may reach another number count as a recipient, so
 * that an allowlist of numbers refuses them.
 */
export const makeCall: ActionCode = {
  recipients({ To, Url, ApplicationSid, Twiml }) {
    const instructions = typeof Twiml === 'string' && REACHING.test(Twiml) ? Twiml : undefined;
    return [To, Url, ApplicationSid, instructions].filter((one) => typeof one === 'string');
  },
};
