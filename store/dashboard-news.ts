/**
 * Notification channel: something has changed that the dashboard shows. The payload is
 * `<organization>/<topic>/<id>`. Triggers send the topics `approvals` and `runs` (migration 45),
 * `connections` and `webhooks` (migration 66). A trigger that reports many records at once leaves
 * the id empty. The topic `sessions` reports a session that was ended.
 */
export const DASHBOARD_NEWS = 'dashboard_news';
