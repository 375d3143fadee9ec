/**
 * A self-signed certificate for `gateway.test` and `localhost`, for servers in tests. Its private
 * key is in this file, so the certificate protects nothing.
 */
export const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBqDCCAU+gAwIBAgIURK4Uy+YbNpi7Lez3pg9BvyPkzdswCgYIKoZIzj0EAwIw
FzEVMBMGA1UEAwwMZ2F0ZXdheS50ZXN0MCAXDTI2MTEyMTEyMjIxN1oYDzIxMjYx
MDI4MTIyMjE3WjAXMRUwEwYDVQQDDAxnYXRld2F5LnRlc3QwWTATBgcqhkjOPQIB
BggqhkjOPQMBBwNCAAQ0hTRHppej7rlhDbOqe8Rd2AkDo0EQTlpKMMKgMJemAV53
aMPyHaTephc5BpjLwbWCw53iHRPtojrukOlIMPlbo3cwdTAdBgNVHQ4EFgQU5JE+
rNL4kDsCWu1MUnhl9Xw0+H4wHwYDVR0jBBgwFoAU5JE+rNL4kDsCWu1MUnhl9Xw0
+H4wDwYDVR0TAQH/BAUwAwEB/zAiBgNVHREEGzAZggxnYXRld2F5LnRlc3SCCWxv
Y2FsaG9zdDAKBggqhkjOPQQDAgNHADBEAiBsN8x0NuahhJpayuqtG53dkKKCRhf2
e9qXTNVZK7yANQIgOvYwFp+7Zu6Zo27wt3sG0UT2rT6IRTEbDQP8j19kwkw=
-----END CERTIFICATE-----
`;

/** The private key of CERTIFICATE. */
export const CERTIFICATE_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg2689+hrj75a36uJA
txnsCBGtjARNdEi15KMSbrN8gP6hRANCAAQ0hTRHppej7rlhDbOqe8Rd2AkDo0EQ
TlpKMMKgMJemAV53aMPyHaTephc5BpjLwbWCw53iHRPtojrukOlIMPlb
-----END PRIVATE KEY-----
`;
