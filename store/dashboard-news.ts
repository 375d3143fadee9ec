/**
 * Notification channel: something that the dashboard shows has changed (migrations 45 and 66). The
 * payload is `<organization>/<topic>/<id>`. The id is empty if many records have changed.
 */
export const DASHBOARD_NEWS = 'dashboard_news';
