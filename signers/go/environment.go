package signer

import "os"

// OptionsFromEnvironment returns Options with the client and its key from COUNTERSIGN_CLIENT_ID or COUNTERSIGN_SIGNATURE_AGENT,
// COUNTERSIGN_PRIVATE_KEY_FILE or COUNTERSIGN_PRIVATE_KEY, and COUNTERSIGN_PASSPHRASE. An empty one counts as not set.
//
// Its errors are of type [*Error], and repeat no value.
func OptionsFromEnvironment() (Options, error) {
	options := Options{
		ClientID:       os.Getenv("COUNTERSIGN_CLIENT_ID"),
		SignatureAgent: os.Getenv("COUNTERSIGN_SIGNATURE_AGENT"),
		PrivateKeyFile: os.Getenv("COUNTERSIGN_PRIVATE_KEY_FILE"),
		Passphrase:     os.Getenv("COUNTERSIGN_PASSPHRASE"),
	}
	text := os.Getenv("COUNTERSIGN_PRIVATE_KEY")
	if options.ClientID == "" && options.SignatureAgent == "" {
		return Options{}, newError(KeyIDInvalid, "set COUNTERSIGN_CLIENT_ID to the Client ID from the portal, "+
			"or for an agent COUNTERSIGN_SIGNATURE_AGENT to the URL of its JWK Set")
	}
	if (options.PrivateKeyFile == "") == (text == "") {
		return Options{}, newError(PrivateKeyInvalid, "set either COUNTERSIGN_PRIVATE_KEY_FILE to the file of the private key, "+
			"or COUNTERSIGN_PRIVATE_KEY to the key itself")
	}
	if text != "" {
		key, err := ParsePrivateKey(text, options.Passphrase)
		if err != nil {
			return Options{}, err
		}
		options.PrivateKey = key
	}
	return options, nil
}
