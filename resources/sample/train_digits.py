# SPDX-License-Identifier: GPL-3.0-or-later
"""Trains the sample model: a small MobileNetV2-style network on the UCI optical digits (scikit-learn's load_digits).

Writes model.onnx (opset 13, input 1x1x32x32 in [0,1], output 10 probabilities) and test_data_set_0.
Needs Debian's python3-torch, python3-sklearn, python3-onnx. Deterministic: seed 7, one thread.
"""
import os, sys, numpy as np, torch, onnx
import torch.nn as nn, torch.nn.functional as F
from onnx import numpy_helper
from sklearn.datasets import load_digits
torch.manual_seed(7); torch.set_num_threads(1)
out = sys.argv[1] if len(sys.argv) > 1 else '.'

def conv(i, o, k, s=1, g=1, act=True):
    layers = [nn.Conv2d(i, o, k, s, k // 2, groups=g, bias=False), nn.BatchNorm2d(o)]
    return nn.Sequential(*layers, nn.ReLU6()) if act else nn.Sequential(*layers)

class Inverted(nn.Module):
    def __init__(self, i, o, s, t):
        super().__init__(); h = i * t; self.skip = s == 1 and i == o
        self.body = nn.Sequential(conv(i, h, 1), conv(h, h, 3, s, h), conv(h, o, 1, act=False))
    def forward(self, x): return x + self.body(x) if self.skip else self.body(x)

class Digits(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = conv(1, 16, 3)
        self.blocks = nn.Sequential(Inverted(16, 24, 2, 4), Inverted(24, 24, 1, 4), Inverted(24, 48, 2, 4),
                                    Inverted(48, 48, 1, 4), Inverted(48, 64, 1, 4))
        self.head = conv(64, 192, 1); self.classifier = nn.Linear(192, 10)
    def forward(self, x):
        x = self.head(self.blocks(self.stem(x))).mean((2, 3))
        return F.softmax(self.classifier(x), 1)

d = load_digits(); rng = np.random.RandomState(7); order = rng.permutation(len(d.target))
x = F.interpolate(torch.tensor(d.images[order] / 16.0, dtype=torch.float32)[:, None], size=(32, 32), mode='bilinear', align_corners=False)
y = torch.tensor(d.target[order]); ntest = 360
xt, yt, xv, yv = x[ntest:], y[ntest:], x[:ntest], y[:ntest]
net = Digits(); opt = torch.optim.Adam(net.parameters(), 3e-3); epochs = 6
for e in range(epochs):
    net.train(); p = torch.randperm(len(xt))
    for g in opt.param_groups: g['lr'] = 3e-3 * (1 - e / epochs)
    for b in p.split(48):
        opt.zero_grad(); loss = F.nll_loss(torch.log(net(xt[b]) + 1e-9), yt[b]); loss.backward(); opt.step()
    net.eval()
    with torch.no_grad(): acc = (net(xv).argmax(1) == yv).float().mean().item()
    print('epoch %d  held-out accuracy %.4f' % (e + 1, acc), flush=True)
os.makedirs(out + '/test_data_set_0', exist_ok=True)
ex = xv[:1]
torch.onnx.export(net, ex, out + '/model.onnx', input_names=['image'], output_names=['probabilities'], opset_version=13, do_constant_folding=False, training=torch.onnx.TrainingMode.EVAL)
with torch.no_grad(): r = net(ex)
for n, a, f in (('image', ex, 'input_0'), ('probabilities', r, 'output_0')):
    open(out + '/test_data_set_0/%s.pb' % f, 'wb').write(numpy_helper.from_array(a.numpy(), n).SerializeToString())
m = onnx.load(out + '/model.onnx'); onnx.checker.check_model(m); print(len(m.graph.node), 'nodes', os.path.getsize(out + '/model.onnx'), 'bytes; label', int(yv[0]), 'predicted', int(r.argmax()))
