/** The application that consent for an integration is asked with. Its secret stays sealed in the table. */
export interface OauthApp {
  id: string;
  orgId: string;
  integrationName: string;
  displayName: string | null;
  clientId: string;
  createdAt: Date;
}
