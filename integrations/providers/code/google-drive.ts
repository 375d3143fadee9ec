import type { ActionCode } from '../../declarative/to-action.ts';

/** Everybody is a recipient too, whom no address names. */
export const shareFile: ActionCode = {
  recipients({ type, emailAddress, domain }) {
    const everybody = type === 'anyone' ? type : undefined;
    return [emailAddress, domain, everybody].filter((one) => typeof one === 'string');
  },
};
