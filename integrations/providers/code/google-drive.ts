import type { ActionCode } from '../../declarative/to-action.ts';

/** Google mails a person or a group unless the input prevents it. */
export const shareFile: ActionCode = {
  otherCategoriesOf: ({ type, sendNotificationEmail }) =>
    (type === 'user' || type === 'group') && sendNotificationEmail !== false ? ['send'] : [],
  recipients({ type, emailAddress, domain }) {
    const everybody = type === 'anyone' ? type : undefined;
    return [emailAddress, domain, everybody].filter((one) => typeof one === 'string');
  },
};
