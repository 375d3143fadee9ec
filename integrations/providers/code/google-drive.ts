import type { ActionCode } from '../../declarative/to-action.ts';

/**
 * Everybody is a recipient too, whom no address names. Google writes to a person or a group unless
 * asked not to.
 */
export const shareFile: ActionCode = {
  otherCategoriesOf: ({ type, sendNotificationEmail }) =>
    (type === 'user' || type === 'group') && sendNotificationEmail !== false ? ['send'] : [],
  recipients({ type, emailAddress, domain }) {
    const everybody = type === 'anyone' ? type : undefined;
    return [emailAddress, domain, everybody].filter((one) => typeof one === 'string');
  },
};
