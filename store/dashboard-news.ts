/**
 * Notification channel: something that pages of the dashboard show has changed. The payload is
 * `<organization>/<topic>/<id>`. Triggers send the topics approvals and runs (migration 45),
 * connections and webhooks (migration 66), without an id for many records at once.
 * The topic sessions is a session that was ended.
 */
export const DASHBOARD_NEWS = 'dashboard_news';
