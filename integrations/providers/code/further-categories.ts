import type { ActionCategory } from '../../../domain/policies/policy.ts';
import type { ActionCode } from '../../declarative/to-action.ts';
import { isObject } from '../../schema/evaluation.ts';

type Input = Readonly<Record<string, unknown>>;

function countsAs(category: ActionCategory, isOne: (input: Input) => boolean): ActionCode {
  return { otherCategoriesOf: (input) => (isOne(input) ? [category] : []) };
}

const always = () => true;
const isFilled = (people: unknown) => (Array.isArray(people) || typeof people === 'string') && people.length > 0;

/** Google mails guests only if requested. */
export const googleUpdates = countsAs('send', ({ sendUpdates = 'none' }) => sendUpdates !== 'none');

/** Outlook mails all attendees of an event. */
export const outlookInvitation = countsAs('send', ({ attendees, optionalAttendees }) => isFilled(attendees) || isFilled(optionalAttendees));

/** Outlook mails the existing guests of the event, whom the call does not name. */
export const outlookUpdate = countsAs('send', always);

/** Zoom mails the people whom the settings of a meeting invite. */
export const zoomInvitation = countsAs('send', ({ settings }) => {
  const { alternative_hosts, meeting_invitees, authentication_exception } = (settings ?? {}) as Input;
  return [alternative_hosts, meeting_invitees, authentication_exception].some(isFilled);
});

/** Zoom notifies people of a cancelled meeting if requested. */
export const zoomReminder = countsAs('send', (input) => input.schedule_for_reminder === true || input.cancel_meeting_reminder === true);

/** Mailchimp mails the person to confirm the subscription. */
export const askedSubscriber = countsAs('send', ({ status_if_new, status }) => status_if_new === 'pending' || status === 'pending');

/** A campaign with a time is sent at that time, without another call. */
export const scheduledCampaign = countsAs('send', ({ scheduledAt }) => scheduledAt !== undefined);

/** Box and Microsoft mail the invited people unless the input prevents it. */
export const boxInvitation = countsAs('send', ({ notify }) => notify !== false);
export const oneDriveInvitation = countsAs('send', ({ sendInvitation }) => sendInvitation !== false);

/** Zendesk mails the person to verify their address. */
export const verifiedUser = countsAs('send', ({ email, skip_verify_email }) => email !== undefined && skip_verify_email !== true);

/** Everybody who has the URL of a public issue can see it. */
export const publicIssue = countsAs('admin', ({ isPublic }) => isPublic === true);

/** The new machine runs the script as administrator. */
export const startScript = countsAs('code', ({ user_data }) => isFilled(user_data));

/** Everybody can see the post or page, now or from its date on. */
export const publication = countsAs('send', ({ status }) => status === 'publish' || status === 'future');

/** Some changes of a document remove a part of it. */
export const removalsInDocument = countsAs(
  'delete',
  ({ requests }) =>
    Array.isArray(requests) && requests.some((change) => isObject(change) && Object.keys(change).some((key) => key.startsWith('delete'))),
);

/** The label TRASH moves a message to the trash. */
export const trashLabel = countsAs('delete', ({ addLabelIds }) => Array.isArray(addLabelIds) && addLabelIds.includes('TRASH'));

/** In every mailbox, `deleteditems` is the id of the trash. */
export const deletedItems = countsAs('delete', ({ destinationId }) => String(destinationId).toLowerCase() === 'deleteditems');

/** A pipeline or a build runs the scripts of a repository. */
export const pipeline = countsAs('code', always);

/** A function of a database may do anything. */
export const databaseFunction = countsAs('delete', always);
