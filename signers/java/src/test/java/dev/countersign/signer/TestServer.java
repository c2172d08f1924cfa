package dev.countersign.signer;

import dev.countersign.signer.testing.Verification;
import dev.countersign.signer.testing.Verifier;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** An HTTP/1.1 server on a bare socket: it sees what a client really sends, and answers as a test says. */
public final class TestServer implements AutoCloseable {
  /** A request as it arrived. */
  public static final class Received {
    public final String method;
    public final String target;
    public final Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    public byte[] body = {};

    /** Which of the server's connections it came by, from 1, and which of that connection's requests it is, from 1. */
    public int connection;

    public int ofConnection;

    Received(String requestLine) {
      String[] words = requestLine.split(" ");
      this.method = words[0];
      this.target = words[1];
    }

    public String header(String name) {
      List<String> values = headers.get(name);
      return values == null ? null : values.get(0);
    }

    /** The URL as a service sees it: the Host header and the target, as text. */
    public String url() {
      return "http://" + header("Host") + target;
    }

    public Verification verify(Verifier verifier) {
      return verifier.verify(method, url(), headers, body);
    }
  }

  /** What to answer. A null status closes the connection without an answer. */
  public static final class Reply {
    final Integer status;
    final String headers;
    final byte[] body;

    private Reply(Integer status, String headers, byte[] body) {
      this.status = status;
      this.headers = headers;
      this.body = body;
    }

    public static Reply of(int status, String headers, String body) {
      return new Reply(status, headers, body.getBytes(StandardCharsets.UTF_8));
    }

    public static Reply ok() {
      return of(200, "Content-Type: text/plain", "fine");
    }

    public static Reply redirect(int status, String location) {
      return of(status, "Location: " + location, "moved");
    }

    public static Reply problem(int status, String json) {
      return of(status, "Content-Type: application/problem+json; charset=utf-8", json);
    }

    public static Reply hangUp() {
      return new Reply(null, "", new byte[0]);
    }
  }

  public final List<Received> requests = Collections.synchronizedList(new ArrayList<>());
  private final ServerSocket listener;
  private final Function<Received, Reply> answers;
  private final List<Socket> sockets = Collections.synchronizedList(new ArrayList<>());
  private final AtomicInteger connections = new AtomicInteger();

  public TestServer(Function<Received, Reply> answers) throws IOException {
    this.answers = answers;
    this.listener = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
    start(this::accept);
  }

  /** Accepts everything. */
  public TestServer() throws IOException {
    this(request -> Reply.ok());
  }

  public String url(String target) {
    return "http://127.0.0.1:" + listener.getLocalPort() + target;
  }

  public Received request(int index) {
    return requests.get(index);
  }

  @Override
  public void close() throws IOException {
    listener.close();
    synchronized (sockets) {
      for (Socket socket : sockets) {
        socket.close();
      }
    }
  }

  private static void start(Runnable work) {
    Thread thread = new Thread(work, "test server");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = listener.accept();
        sockets.add(socket);
        int connection = connections.incrementAndGet();
        start(() -> serve(socket, connection));
      }
    } catch (IOException e) {
      // Closed: the test is over.
    }
  }

  private void serve(Socket socket, int connection) {
    try (socket) {
      socket.setTcpNoDelay(true);
      InputStream in = socket.getInputStream();
      OutputStream out = socket.getOutputStream();
      for (int count = 1; ; count++) {
        Received request = read(in);
        request.connection = connection;
        request.ofConnection = count;
        requests.add(request);
        Reply reply = answers.apply(request);
        if (reply.status == null) {
          return;
        }
        out.write(written(reply, request.method));
        out.flush();
      }
    } catch (IOException e) {
      // The client has closed the connection, or the test has.
    }
  }

  private static byte[] written(Reply reply, String method) {
    String head =
        "HTTP/1.1 " + reply.status + " Said\r\n"
            + (reply.headers.isEmpty() ? "" : reply.headers + "\r\n")
            + "Content-Length: " + reply.body.length + "\r\n\r\n";
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.writeBytes(head.getBytes(StandardCharsets.ISO_8859_1));
    if (!method.equals("HEAD")) {
      bytes.writeBytes(reply.body);
    }
    return bytes.toByteArray();
  }

  private static Received read(InputStream in) throws IOException {
    Received request = new Received(line(in));
    for (String line = line(in); !line.isEmpty(); line = line(in)) {
      int colon = line.indexOf(':');
      request.headers
          .computeIfAbsent(line.substring(0, colon), name -> new ArrayList<>())
          .add(line.substring(colon + 1).trim());
    }
    if ("chunked".equalsIgnoreCase(request.header("Transfer-Encoding"))) {
      ByteArrayOutputStream body = new ByteArrayOutputStream();
      for (int size = Integer.parseInt(line(in), 16); size > 0; size = Integer.parseInt(line(in), 16)) {
        body.writeBytes(in.readNBytes(size));
        line(in);
      }
      line(in);
      request.body = body.toByteArray();
    } else if (request.header("Content-Length") != null) {
      request.body = in.readNBytes(Integer.parseInt(request.header("Content-Length")));
    }
    return request;
  }

  private static String line(InputStream in) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int octet = in.read(); octet != '\n'; octet = in.read()) {
      if (octet < 0) {
        throw new EOFException();
      }
      bytes.write(octet);
    }
    return bytes.toString(StandardCharsets.ISO_8859_1).replace("\r", "");
  }
}
