package dev.countersign.signer.spring;

import dev.countersign.signer.Signer;
import java.net.http.HttpClient;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.http.client.ClientHttpRequestFactory;

/**
 * Makes a {@link Signer} if {@code countersign.client-id} or {@code countersign.signature-agent} is set, and a {@link
 * SigningRequestFactory} for it or for a signer of the application's own. No client uses the factory by itself: not every API
 * may see the signatures.
 */
@AutoConfiguration
@ConditionalOnClass(ClientHttpRequestFactory.class)
@EnableConfigurationProperties(CountersignProperties.class)
public class CountersignAutoConfiguration {
  /** Spring calls it. */
  public CountersignAutoConfiguration() {}

  /**
   * Makes the signer. The application does not start if the key cannot be read.
   *
   * @param properties the application's settings
   * @return the signer
   */
  @Bean
  @ConditionalOnMissingBean
  @Conditional(IdentityCondition.class)
  public Signer countersignSigner(CountersignProperties properties) {
    return properties.toSigner();
  }

  /** Requires countersign.client-id or countersign.signature-agent. */
  static final class IdentityCondition extends AnyNestedCondition {
    IdentityCondition() {
      super(ConfigurationPhase.REGISTER_BEAN);
    }

    @ConditionalOnProperty(prefix = "countersign", name = "client-id")
    static final class Client {}

    @ConditionalOnProperty(prefix = "countersign", name = "signature-agent")
    static final class Agent {}
  }

  /**
   * Makes the request factory.
   *
   * @param signer signs the requests
   * @param properties the application's settings
   * @return the factory
   */
  @Bean
  @ConditionalOnMissingBean
  @ConditionalOnBean(Signer.class)
  public SigningRequestFactory countersignRequestFactory(Signer signer, CountersignProperties properties) {
    HttpClient.Builder client = HttpClient.newBuilder();
    if (properties.getConnectTimeout() != null) {
      client.connectTimeout(properties.getConnectTimeout());
    }
    SigningRequestFactory factory = new SigningRequestFactory(signer, client);
    if (properties.getReadTimeout() != null) {
      factory.setReadTimeout(properties.getReadTimeout());
    }
    return factory;
  }
}
