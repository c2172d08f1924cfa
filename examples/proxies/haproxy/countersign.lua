-- Asks Countersign about a request with its body, and lets it pass only if the answer is 200.

local authorizer = "http://127.0.0.1:8423/authorize/haproxy"

local identity = {
  "countersign-client-id",
  "countersign-account",
  "countersign-roles",
  "countersign-key",
  "countersign-request-id",
  -- Of clients with other profiles, and on routes that identify.
  "countersign-profile",
  "countersign-covered",
  "countersign-unproved",
  "countersign-claimed",
}

-- Headers that belong to one connection.
local dropped = {
  ["connection"] = true,
  ["keep-alive"] = true,
  ["transfer-encoding"] = true,
  ["content-length"] = true,
  ["expect"] = true,
  ["te"] = true,
  ["upgrade"] = true,
}

-- Returns the values of a header. HAProxy counts them from 0.
local function values(list)
  local copy = {}
  if list then
    for index = 0, #list do
      if list[index] then table.insert(copy, list[index]) end
    end
  end
  return copy
end

-- Returns the body if all of it is here, and what to say about it.
local function whole_body(txn, headers)
  local length = txn.f:req_body_len()
  local announced = values(headers["content-length"])
  -- Nothing says how long a chunked body is, so a part of it could look complete.
  if length == 0 and #announced == 0 then return nil, "none" end
  if #announced ~= 1 or tonumber(announced[1]) ~= length then return nil, "kept" end
  if length == 0 then return nil, "none" end
  return txn.f:req_body(), "none"
end

local function refuse(txn, status, headers, body)
  local reply = txn:reply()
  reply:set_status(status)
  for name, list in pairs(headers) do
    if not dropped[name] then
      for _, value in ipairs(values(list)) do reply:add_header(name, value) end
    end
  end
  if body then reply:set_body(body) end
  txn:done(reply)
end

core.register_action("countersign", { "http-req" }, function(txn)
  local received = txn.http:req_get_headers()
  local headers = {}
  for name, list in pairs(received) do
    if not dropped[name] then headers[name] = values(list) end
  end
  local body, shown = whole_body(txn, received)
  headers["x-original-method"] = { txn.f:method() }
  headers["x-original-uri"] = { txn.f:url() }
  headers["x-original-body"] = { shown }
  headers["x-forwarded-for"] = { txn.f:src() }
  local answer = core.httpclient():post({ url = authorizer, headers = headers, body = body or "", timeout = 5000 })
  if not answer or not answer.status or answer.status < 200 then
    refuse(txn, 503, {}, nil)
  elseif answer.status ~= 200 then
    refuse(txn, answer.status, answer.headers, answer.body)
  else
    for _, name in ipairs(identity) do
      local value = values(answer.headers[name])[1]
      if value then txn.http:req_set_header(name, value) end
    end
  end
end, 0)
