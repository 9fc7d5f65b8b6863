// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measure/protocol.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "core/measure/channel.h"
#include "core/support/hash.h"
#include "core/support/random.h"

namespace fettle::measure {
namespace {

std::vector<std::byte> bytesOf(const std::string& text) {
    const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
    return {bytes, bytes + text.size()};
}

std::vector<std::byte> flat(const Message& message) {
    std::vector<std::byte> bytes;
    const EncodedFrame frame = encodeFrame(viewOf(message));
    for (const auto& piece : frame.pieces) bytes.insert(bytes.end(), piece.begin(), piece.end());
    return bytes;
}

Result<Message> decode(std::span<const std::byte> frame) {
    if (frame.size() < kFrameHeaderBytes) return fail(ErrorCode::Failed, "", "", "short");
    FETTLE_TRY(const FrameHeader header, decodeHeader(frame.first<kFrameHeaderBytes>()));
    return decodePayload(header, frame.subspan(kFrameHeaderBytes));
}

const Message sample{R"({"op":"trial"})", {bytesOf("abc"), {}, bytesOf(std::string(5000, 'x'))}};

TEST(Protocol, RoundTrips) {
    const auto back = decode(flat(sample));
    ASSERT_TRUE(back) << back.error().message();
    EXPECT_EQ(back->json, sample.json);
    EXPECT_EQ(back->blobs, sample.blobs);
}

TEST(Protocol, NoFlippedByteGoesUnseen) {
    const auto good = flat(sample);
    for (size_t i = 0; i < good.size(); i += 7) {
        auto bad = good;
        bad[i] ^= std::byte{0x10};
        EXPECT_FALSE(decode(bad)) << "byte " << i;
    }
}

TEST(Protocol, EveryCutIsRefused) {
    const auto good = flat(sample);
    for (size_t size = 0; size < good.size(); size += 3) EXPECT_FALSE(decode(std::span(good).first(size))) << size;
}

TEST(Protocol, LengthsInsideArePinnedToThePayload) {
    // payloads with right checksums and made-up lengths
    Rng rng(3);
    for (int i = 0; i < 2000; ++i) {
        std::vector<std::byte> payload(static_cast<size_t>(rng.below(40)));
        for (std::byte& byte : payload) byte = static_cast<std::byte>(rng.below(3) == 0 ? 0xff : rng.below(4));
        const FrameHeader header{crc32c(payload), payload.size()};
        if (const auto message = decodePayload(header, payload)) {
            size_t bytes = 8 + message->json.size();
            for (const auto& blob : message->blobs) bytes += 8 + blob.size();
            EXPECT_EQ(bytes, payload.size());
        }
    }
}

TEST(Protocol, RefusesAFrameLargerThanAny) {
    auto frame = flat(sample);
    std::fill(frame.begin() + 8, frame.begin() + 16, std::byte{0xff});
    const auto header = decodeHeader(std::span<const std::byte>(frame).first<kFrameHeaderBytes>());
    ASSERT_FALSE(header);
    EXPECT_NE(header.error().why.find("more than a frame may have"), std::string::npos);
}

class ChannelPair : public testing::Test {
protected:
    void SetUp() override { ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds_), 0); }
    void TearDown() override {
        for (const int fd : fds_)
            if (fd >= 0) ::close(fd);
    }
    int fds_[2] = {-1, -1};
};

TEST_F(ChannelPair, CarriesLargeMessages) {
    Message large{"{}", {std::vector<std::byte>(40 << 20, std::byte{5})}};
    std::thread writer([&] { EXPECT_EQ(Channel(fds_[0], fds_[0]).write(viewOf(large), {}), ChannelEnd::None); });
    Message back;
    EXPECT_EQ(Channel(fds_[1], fds_[1]).read(back, {}), ChannelEnd::None);
    writer.join();
    EXPECT_EQ(back.blobs, large.blobs);
}

TEST_F(ChannelPair, TellsTimeoutCancelCloseAndJunkApart) {
    Channel channel(fds_[0], fds_[0]);
    Message message;
    EXPECT_EQ(channel.read(message, {Clock::now() + std::chrono::milliseconds(30), nullptr}), ChannelEnd::Timeout);
    CancelToken cancel;
    cancel.cancel();
    EXPECT_EQ(channel.read(message, {Clock::now() + std::chrono::seconds(5), &cancel}), ChannelEnd::Cancelled);
    ASSERT_EQ(::write(fds_[1], "0123456789abcdef", 16), 16);
    std::string why;
    EXPECT_EQ(channel.read(message, {}, &why), ChannelEnd::Broken);
    EXPECT_NE(why.find("FTL1"), std::string::npos);
    ::close(fds_[1]);
    fds_[1] = -1;
    EXPECT_EQ(channel.read(message, {}), ChannelEnd::Closed);
    EXPECT_EQ(channel.write(viewOf(sample), {}), ChannelEnd::Closed);  // and no SIGPIPE
}

}  // namespace
}  // namespace fettle::measure
