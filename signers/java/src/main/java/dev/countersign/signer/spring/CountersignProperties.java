package dev.countersign.signer.spring;

import dev.countersign.signer.Signer;
import java.nio.file.Path;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;

/** The settings {@code countersign.*} of an application. They mean what they mean in {@link Signer.Builder}. */
@ConfigurationProperties("countersign")
public class CountersignProperties {
  private String clientId;
  private String signatureAgent;
  private String privateKey;
  private Path privateKeyFile;
  private String passphrase;
  private boolean coverDate = true;
  private boolean nonce;
  private int bodyBytesMax = 10 * 1024 * 1024;
  private Path sharedFolder;
  private boolean throwsRefusals = true;
  private boolean idempotencyKeys;
  private Duration connectTimeout;
  private Duration readTimeout;

  /** Spring calls it. */
  public CountersignProperties() {}

  Signer toSigner() {
    Signer.Builder signer =
        Signer.builder()
            .passphrase(passphrase)
            .coverDate(coverDate)
            .nonce(nonce)
            .bodyBytesMax(bodyBytesMax)
            .throwsRefusals(throwsRefusals)
            .idempotencyKeys(idempotencyKeys);
    if (clientId != null && !clientId.isEmpty()) {
      signer.clientId(clientId);
    }
    if (signatureAgent != null && !signatureAgent.isEmpty()) {
      signer.signatureAgent(signatureAgent);
    }
    if (privateKey != null && !privateKey.isEmpty()) {
      signer.privateKey(privateKey);
    }
    if (privateKeyFile != null) {
      signer.privateKeyFile(privateKeyFile);
    }
    if (sharedFolder != null) {
      signer.sharedFolder(sharedFolder);
    }
    return signer.build();
  }

  /**
   * Returns the setting {@code client-id}.
   *
   * @return the client ID
   */
  public String getClientId() {
    return clientId;
  }

  /**
   * Sets {@code client-id}.
   *
   * @param clientId the client ID
   */
  public void setClientId(String clientId) {
    this.clientId = clientId;
  }

  /**
   * Returns the setting {@code signature-agent}.
   *
   * @return the URL; null for none
   */
  public String getSignatureAgent() {
    return signatureAgent;
  }

  /**
   * Sets {@code signature-agent}.
   *
   * @param signatureAgent the URL; null for none
   */
  public void setSignatureAgent(String signatureAgent) {
    this.signatureAgent = signatureAgent;
  }

  /**
   * Returns the setting {@code private-key}.
   *
   * @return the key; null for none
   */
  public String getPrivateKey() {
    return privateKey;
  }

  /**
   * Sets {@code private-key}.
   *
   * @param privateKey the key; null for none
   */
  public void setPrivateKey(String privateKey) {
    this.privateKey = privateKey;
  }

  /**
   * Returns the setting {@code private-key-file}.
   *
   * @return the file; null for none
   */
  public Path getPrivateKeyFile() {
    return privateKeyFile;
  }

  /**
   * Sets {@code private-key-file}.
   *
   * @param privateKeyFile the file; null for none
   */
  public void setPrivateKeyFile(Path privateKeyFile) {
    this.privateKeyFile = privateKeyFile;
  }

  /**
   * Returns the setting {@code passphrase}.
   *
   * @return the passphrase; null for none
   */
  public String getPassphrase() {
    return passphrase;
  }

  /**
   * Sets {@code passphrase}.
   *
   * @param passphrase the passphrase; null for none
   */
  public void setPassphrase(String passphrase) {
    this.passphrase = passphrase;
  }

  /**
   * Returns the setting {@code cover-date}.
   *
   * @return true unless set
   */
  public boolean isCoverDate() {
    return coverDate;
  }

  /**
   * Sets {@code cover-date}.
   *
   * @param coverDate true unless set
   */
  public void setCoverDate(boolean coverDate) {
    this.coverDate = coverDate;
  }

  /**
   * Returns the setting {@code nonce}.
   *
   * @return false unless set
   */
  public boolean isNonce() {
    return nonce;
  }

  /**
   * Sets {@code nonce}.
   *
   * @param nonce false unless set
   */
  public void setNonce(boolean nonce) {
    this.nonce = nonce;
  }

  /**
   * Returns the setting {@code body-bytes-max}.
   *
   * @return 10 MiB unless set
   */
  public int getBodyBytesMax() {
    return bodyBytesMax;
  }

  /**
   * Sets {@code body-bytes-max}.
   *
   * @param bodyBytesMax 10 MiB unless set
   */
  public void setBodyBytesMax(int bodyBytesMax) {
    this.bodyBytesMax = bodyBytesMax;
  }

  /**
   * Returns the setting {@code shared-folder}.
   *
   * @return the folder; null for none
   */
  public Path getSharedFolder() {
    return sharedFolder;
  }

  /**
   * Sets {@code shared-folder}.
   *
   * @param sharedFolder the folder; null for none
   */
  public void setSharedFolder(Path sharedFolder) {
    this.sharedFolder = sharedFolder;
  }

  /**
   * Returns the setting {@code throws-refusals}.
   *
   * @return true unless set
   */
  public boolean isThrowsRefusals() {
    return throwsRefusals;
  }

  /**
   * Sets {@code throws-refusals}.
   *
   * @param throwsRefusals true unless set
   */
  public void setThrowsRefusals(boolean throwsRefusals) {
    this.throwsRefusals = throwsRefusals;
  }

  /**
   * Returns the setting {@code idempotency-keys}.
   *
   * @return false unless set
   */
  public boolean isIdempotencyKeys() {
    return idempotencyKeys;
  }

  /**
   * Sets {@code idempotency-keys}.
   *
   * @param idempotencyKeys false unless set
   */
  public void setIdempotencyKeys(boolean idempotencyKeys) {
    this.idempotencyKeys = idempotencyKeys;
  }

  /**
   * Returns the setting {@code connect-timeout}.
   *
   * @return the time; null for no limit
   */
  public Duration getConnectTimeout() {
    return connectTimeout;
  }

  /**
   * Sets {@code connect-timeout}.
   *
   * @param connectTimeout the time; null for no limit
   */
  public void setConnectTimeout(Duration connectTimeout) {
    this.connectTimeout = connectTimeout;
  }

  /**
   * Returns the setting {@code read-timeout}.
   *
   * @return the time; null for no limit
   */
  public Duration getReadTimeout() {
    return readTimeout;
  }

  /**
   * Sets {@code read-timeout}.
   *
   * @param readTimeout the time; null for no limit
   */
  public void setReadTimeout(Duration readTimeout) {
    this.readTimeout = readTimeout;
  }
}
